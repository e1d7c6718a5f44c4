"""The report of a campaign: one HTML file with everything inside, and its figures as PNG files."""
