"""Training: on sentences with negation, on a balanced corpus, and of models to calibrate with."""
