"""What predicts: models fitted to measurements, one file per family."""
