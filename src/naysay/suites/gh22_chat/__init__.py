"""Context Matters (Gubelmann and Handschuh 2022) as questions to models that chat.

The paper's templates, with verbs of a list in place of the model's own, which a chat does not tell.
"""

from naysay.suites.gh22_chat.suite import SUITE

__all__ = ["SUITE"]
