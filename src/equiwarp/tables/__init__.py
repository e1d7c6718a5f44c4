"""Rows and columns at the edge: CSV files, plates, measurements."""
