"""Intervals and tests. Everything here works on shares in [0, 1]; reports turn them to percent."""
