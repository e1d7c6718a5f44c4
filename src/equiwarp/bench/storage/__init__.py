"""What is kept of a run: its files, where they come from, packed designs, and proof that they recompute."""
