"""What predicts: models that are fitted to measurements in kernel coordinates, one file a family."""
