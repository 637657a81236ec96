"""Training: on sentences with negation, on a balanced corpus, and of the calibration models."""
