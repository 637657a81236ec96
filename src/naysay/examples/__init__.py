"""Single items to look at: what was asked in each condition, and what the model said there."""
