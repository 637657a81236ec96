"""Context Matters (Gubelmann and Handschuh 2022).

Somebody doesn't like to do something that the model itself thinks likely of them. What do they like
to do? A model that understands *not* will not repeat the verb.
"""

from naysay.suites.gh22.suite import SUITE

__all__ = ["SUITE"]
