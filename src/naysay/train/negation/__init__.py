"""Training on sentences with negation and contrast (Gubelmann and Handschuh 2022, appendix D).

Sentences are taken out of a plain-text corpus, the model is tested, trained on them as it was
trained before (masked or causal), and tested again; beside what it learned stands what it lost.
"""

from __future__ import annotations

from naysay.train.negation.procedure import NegationResult, train_negation
from naysay.train.negation.settings import NegationSettings

__all__ = ["NegationResult", "NegationSettings", "train_negation"]
