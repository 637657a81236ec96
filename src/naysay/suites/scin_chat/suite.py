"""The suite: the procedure of the English questions with the Italian test's sentences."""

from __future__ import annotations

from pathlib import Path

from naysay.suites.scnt_chat.suite import TripletQuestions


class ItalianTripletQuestions(TripletQuestions):
    """The test of Gullace, Kletz, Poibeau, Lenci and Amsili (2024) as questions."""

    name = "scin_chat"
    version = 1
    patterns = "scin"
    summary = "scin as questions in a chat: which of two finite verbs fits, in both orders?"
    folder = Path(__file__).parent


SUITE = ItalianTripletQuestions()
