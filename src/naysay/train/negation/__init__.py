"""Training on sentences with negation and contrast (Gubelmann and Handschuh 2022, appendix D).

Sentences are extracted from a plain-text corpus; the model is tested, trained on them with its own
objective (masked or causal), and tested again. The report shows what was gained and what was lost.
"""

from __future__ import annotations

from naysay.train.negation.procedure import NegationResult, train_negation
from naysay.train.negation.settings import NegationSettings

__all__ = ["NegationResult", "NegationSettings", "train_negation"]
