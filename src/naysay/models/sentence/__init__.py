"""Models that read whole sentences: embedders and cross-encoders."""
