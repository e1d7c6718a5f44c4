"""Everything with rows and columns at the edge: CSV files and plates."""
