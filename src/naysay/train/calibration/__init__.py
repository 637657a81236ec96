"""Two small models to calibrate the suites: one sensitive to negation, one not."""
