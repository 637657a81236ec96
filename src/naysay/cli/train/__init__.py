"""`naysay train`: one module per kind of training, discovered automatically."""

from __future__ import annotations

from naysay.cli import group

COMMAND = group(__name__, __path__, "Train models and extract training sentences.")
