"""All exceptions that naysay raises deliberately.

NaysayError                 shown without a traceback; the command line exits with 2
├── SpecError               an option that is out of range or conflicts with another
├── UnknownNameError        a suite, model kind, language or run that does not exist
├── BrokenPluginError       a plugin that cannot be loaded
├── LexiconError            a word list with duplicates, an empty slot, a missing file
├── DatasetError            a data set that is missing, cannot be fetched, or fails its checksum
├── PatternError            a pattern with an unknown slot or not exactly one blank
├── ModelError              a model that cannot be loaded or used
│   ├── WeightsError        a folder without usable weights, a download that fails its checksum
│   ├── HubError            the hub cannot be reached or does not have the model
│   └── TooLongError        a text that is longer than the model reads
├── NotAskableError         a question that this kind of model cannot answer
├── NoUsableWordError       no word of a list is usable with this model
└── RunError                a run folder that cannot be written, read or trusted
    └── DamagedShardError   a shard whose checksum does not match the recorded one
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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
        if near:
            text += f"; did you mean {' or '.join(near)}?"
        text += f" Known: {', '.join(names) or 'none'}."
        super().__init__(f"{text} {hint}".rstrip())


class BrokenPluginError(NaysayError):
    """A plugin cannot be loaded, or its name is taken."""


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


class NotAskableError(NaysayError):
    """This kind of model cannot answer this question."""


class NoUsableWordError(NaysayError):
    """No word of a list can be asked of this model."""


class RunError(NaysayError):
    """A run's folder cannot be written, read or trusted."""


class DamagedShardError(RunError):
    """A shard's content is not what was written."""


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are similar to `name`, most similar first.

    >>> near_names("maskd", ["masked", "causal"])
    ['masked']
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)
    return [by_lower[match] for match in close]
