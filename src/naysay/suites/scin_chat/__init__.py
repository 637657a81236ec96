"""The Self-Contained Italian Neg Test (Gullace and others 2024) as questions in a chat."""

from naysay.suites.scin_chat.suite import SUITE

__all__ = ["SUITE"]
