"""`naysay train`: one file for each kind of training, found where they are."""

from __future__ import annotations

from naysay.cli._group import group

COMMAND = group(__name__, __path__, "Train: on negation, on a balanced corpus, for calibration.")
