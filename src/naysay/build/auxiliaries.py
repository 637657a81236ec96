"""Auxiliary verbs, and what they are with "n't"."""

from __future__ import annotations

STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
"""What is left of an auxiliary when "n't" is cut off, where that is not the auxiliary itself."""
NEGATED = {
    "am": "aren't", "are": "aren't", "is": "isn't", "was": "wasn't", "were": "weren't",
    "do": "don't", "does": "doesn't", "did": "didn't",
    "have": "haven't", "has": "hasn't", "had": "hadn't",
    "can": "can't", "could": "couldn't", "will": "won't", "would": "wouldn't",
    "shall": "shan't", "should": "shouldn't", "might": "mightn't", "must": "mustn't",
    "need": "needn't",
}  # fmt: skip
SUPPORT = {"do": "VB", "does": "VBZ", "did": "VBD"}
"""The forms of "do" that support a negation, and the form which the verb has without them."""
BE = {"am", "is", "are", "was", "were", "'m", "'s", "'re"}
"""The finite forms of "be"."""
