"""Two small models, one that minds negation and one that does not, to check the suites with."""
