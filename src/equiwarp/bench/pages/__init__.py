"""What is printed of results: tables, the paper beside ours, and the pages in docs/results."""
