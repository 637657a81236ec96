"""The Self-Contained Neg Test (Kletz, Amsili and Candito 2023) as questions to models that chat.

The paper names generative models as future work. Here they choose between the context's verb and
another one for the blank of the target.
"""

from naysay.suites.scnt_chat.suite import SUITE

__all__ = ["SUITE"]
