"""Building sets like SemAntoNeg: groups of a sentence, its negation, and both with the antonym."""
