"""Teaching an embedder negation: sentences and their negations apart, paraphrases together.

Groups of four sentences are made of opposites and frames; nothing of a test is among them. What was
gained and what was lost is measured before and after, on the same sentences.
"""

from __future__ import annotations

from naysay.train.embedder.procedure import EmbedderResult, train_embedder
from naysay.train.embedder.settings import EmbedderSettings

__all__ = ["EmbedderResult", "EmbedderSettings", "train_embedder"]
