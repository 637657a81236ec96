"""SemAntoNeg (Vahtola and others 2022) as a question in a chat, answered in words."""

from naysay.suites.semantoneg_chat.suite import SUITE

__all__ = ["SUITE"]
