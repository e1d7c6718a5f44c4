"""Many cells: which of them a sweep consists of, where they are computed, and the paper from nothing."""
