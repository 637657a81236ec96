"""Words by their rank, where a server returns so many tokens that the ranks lie among them.

A list of the likeliest tokens is exact as far as it goes: what is not in it comes after it. A rank
beyond its end is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from naysay.core.errors import NotAskableError
from naysay.core.probes import Ranking, RankWords
from naysay.models.remote.answers import next_query, next_token, text_before
from naysay.models.remote.capabilities import Capabilities
from naysay.models.remote.client import Reply
from naysay.models.remote.replies import ends, read_back
from naysay.models.remote.session import Session
from naysay.models.remote.tokens import word_pieces

_ANCHOR = "to "  # after which words are tokenized, as for models in this process
_SPARE = 50  # words that are looked at beyond those that are needed, since not all are whole


class RankReader:
    """Ranks words, and remembers which of them are single tokens."""

    def __init__(self, session: Session, found: Capabilities) -> None:
        self._session, self._found = session, found
        self._whole: dict[str, bool] = {}

    def rank(self, probes: Sequence[RankWords]) -> list[Ranking]:
        """Return the rankings in the order of the probes."""
        found = self._found
        texts = [text_before(probe.text) for probe in probes]
        replies = self._session.ask([next_query(found.model, text, found.deep) for text in texts])
        lists = [_listed(reply) for reply in replies]
        for spare in (_SPARE, found.deep):
            self._check(
                word
                for probe, words in zip(probes, lists, strict=True)
                if not probe.raw and self._short(probe, words)
                for word in [w for w in words if w.isalpha()][: max(probe.ranks) + 1 + spare]
            )
        return [self._ranking(probe, words) for probe, words in zip(probes, lists, strict=True)]

    def _short(self, probe: RankWords, words: Sequence[str]) -> bool:
        """Whether more words have to be looked at."""
        return sum(self._whole.get(word, False) for word in words) <= max(probe.ranks)

    def _check(self, words: Iterable[str]) -> None:
        """Find out which words are single tokens."""
        new = [word for word in dict.fromkeys(words) if word not in self._whole]
        if not new:
            return
        assert self._found.splitter is not None
        pieces = word_pieces(self._found.splitter, new, _ANCHOR)
        self._whole.update((word, pieces[word].single) for word in new)

    def _ranking(self, probe: RankWords, words: Sequence[str]) -> Ranking:
        if not words:  # the text ends here
            return Ranking((None,) * len(probe.ranks), "")
        counted = words if probe.raw else [word for word in words if self._whole.get(word)]
        if max(probe.ranks) >= len(counted):
            raise NotAskableError(
                f"the {len(words):,} likeliest tokens that the server returns have "
                f"{len(counted):,} whole words, so the word of rank {max(probe.ranks)} is unknown: "
                "ask for lower ranks (--ranks 0,50), or let the server return more"
            )
        return Ranking(tuple(counted[rank] for rank in probe.ranks), words[0])


def _listed(reply: Reply) -> list[str]:
    """The likeliest tokens, best first; none where the text ends."""
    return [] if ends(reply) else [read_back(score.text) for score in next_token(reply).top]
