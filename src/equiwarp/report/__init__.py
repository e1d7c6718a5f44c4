"""The report of a campaign: one HTML file, and its figures as PNG."""
