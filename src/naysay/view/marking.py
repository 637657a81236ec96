"""Texts on a page: blanks, the model's words in them, and what differs from another text."""

from __future__ import annotations

from typing import Any

from naysay.reports.sections import ShownSide
from naysay.view.pairs import pieces


def blanks(text: str) -> Any:
    """Return the text with its blank as a line, which is called a blank when it is read aloud."""
    from markupsafe import Markup, escape

    empty = Markup('<span class="blank" role="img" aria-label="blank">▢</span>')
    return empty.join(map(escape, str(text).split("▢")))


def said(text: str, side: ShownSide) -> Any:
    """Return a piece of a side's text, with the model's word in its blank."""
    from markupsafe import Markup, escape

    if not side.answer or "▢" not in text:
        return blanks(text)
    kind = "good" if side.good else "bad" if side.good is False else ""
    word = Markup('<b class="said {}">{}</b>').format(kind, side.answer)
    return word.join(map(escape, text.split("▢")))


def against(text: str, other: str) -> Any:
    """Return a sentence with what differs from another one marked."""
    from markupsafe import Markup, escape

    return Markup("").join(
        Markup("<mark>{}</mark>").format(piece) if differs else escape(piece)
        for piece, differs in pieces(text, other)
    )
