"""Everything with rows and columns at the edge: CSV files, their cells, plates and measurements."""
