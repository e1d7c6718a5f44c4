"""What is mapped: the 22 benchmarks of the paper, their formulas and data, and functions held back."""
