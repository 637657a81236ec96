"""All exceptions that naysay raises deliberately.

NaysayError                 shown without a traceback; the command line exits with 2
├── SpecError               an option that is out of range or conflicts with another
├── UnknownNameError        a suite, model kind, language or run that does not exist
├── BrokenPluginError       a plugin that cannot be loaded
├── MissingExtraError       an optional part of naysay that is not installed
├── LexiconError            a word list with duplicates, an empty slot, a missing file
├── DatasetError            a data set that is missing, cannot be fetched, or fails its checksum
├── PatternError            a pattern with an unknown slot or not exactly one blank
├── ModelError              a model that cannot be loaded or used
│   ├── WeightsError        a folder without usable weights, a download that fails its checksum
│   ├── HubError            the hub cannot be reached or does not have the model
│   ├── TooLongError        a text that is longer than the model reads
│   └── ServerError         a server that cannot be reached, fails, or cannot be trusted
│       └── ServerRefusalError   a question that the server does not take
├── NotAskableError         a question that this kind of model cannot answer
├── NoUsableWordError       no word of a list is usable with this model
└── RunError                a run folder that cannot be written, read or trusted
    └── DamagedShardError   a shard whose checksum does not match the recorded one
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LISTED = 20  # known names that an error lists


class NaysayError(Exception):
    """An error the user can fix; it says what was asked, what was found, and what to do."""


class SpecError(NaysayError):
    """An option is out of range or conflicts with another."""


class UnknownNameError(NaysayError):
    """A name is unknown; the message suggests similar names."""

    def __init__(self, what: str, name: str, known: Iterable[str], hint: str = "") -> None:
        names = sorted(known)
        near = near_names(name, names)
        text = f"unknown {what} {name!r}"
        text += f"; did you mean {' or '.join(near)}?" if near else "."
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        text += f" Known: {', '.join(names[:_LISTED]) or 'none'}{more}."
        super().__init__(f"{text} {hint}".rstrip())


class BrokenPluginError(NaysayError):
    """A plugin cannot be loaded, or its name is taken."""


class MissingExtraError(NaysayError):
    """An optional part of naysay is not installed."""


class LexiconError(NaysayError):
    """A word list cannot be used as it is."""


class DatasetError(NaysayError):
    """A data set is missing, cannot be fetched, or fails its checksum."""


class PatternError(NaysayError):
    """A pattern cannot be filled."""


class ModelError(NaysayError):
    """A model cannot be loaded or used."""


class WeightsError(ModelError):
    """The weights are missing, incomplete, or stored in an unsafe format."""


class HubError(ModelError):
    """The hub cannot be reached, or does not have what was asked for."""


class TooLongError(ModelError):
    """A text is longer than the model reads."""


class ServerError(ModelError):
    """A server cannot be reached, fails for good, or gives answers that cannot be right."""


class ServerRefusalError(ServerError):
    """A server does not take this question."""

    def __init__(self, text: str, status: int, words: str) -> None:
        super().__init__(text)
        self.status, self.words = status, words


class NotAskableError(NaysayError):
    """This kind of model cannot answer this question."""


class NoUsableWordError(NaysayError):
    """No word of a list can be asked of this model."""


class RunError(NaysayError):
    """A run's folder cannot be written, read or trusted."""


class NotLoggedError(RunError):
    """A logger cannot be used, or did not take a run's figures."""


class DamagedShardError(RunError):
    """A shard's content is not what was written."""


def near_names(name: str, known: Iterable[str], cutoff: float = 0.5) -> list[str]:
    """Return the known names that are similar to `name`, most similar first.

    >>> near_names("maskd", ["masked", "causal"])
    ['masked']
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=cutoff)
    return [by_lower[match] for match in close]
