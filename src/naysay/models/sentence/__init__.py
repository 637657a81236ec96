"""Models of whole sentences: embedders and cross-encoders."""
