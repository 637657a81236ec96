"""The sentences of a training: taken out of the corpus once, and parted into use and trial."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.errors import DatasetError
from naysay.keys import file_digest, seeded_order
from naysay.train.negation.settings import NegationSettings
from naysay.train.record import read_record, write_sections

_SECTION = "extraction"
_SENTENCES, _PLAIN = "sentences.txt", "plain.txt"
_TRIAL = 500  # sentences for a trial at most; a tenth of all if these are fewer


@dataclass(frozen=True)
class Texts:
    """The sentences to train on, two kinds to try the model on, and how they were found."""

    training: list[str]
    negated: list[str]
    """With negation and contrast like those for training, but kept apart from them."""
    plain: list[str]
    """Without any negation."""
    about: dict[str, Any]
    """What the extraction counted, and the leaks that it found."""
    summary: str


def prepare(settings: NegationSettings) -> Texts:
    """Take the sentences out of the corpus, unless that is done, and part them by the seed."""
    folder = settings.folder
    section = read_record(folder).get(_SECTION)
    if section is None or section["files"] != _digests(folder):
        section = _extract(settings)
    sentences, plain = (_lines(folder / name) for name in (_SENTENCES, _PLAIN))
    if len(sentences) < 2:
        raise DatasetError(
            f"{len(sentences)} sentences of the corpus have a negation and a contrast, are longer "
            "than 64 characters and are no test sentences; to train takes two at least. Give more "
            f"text with --corpus, or --rule paper.\n{section['summary']}"
        )
    seed = settings.plan.seed
    trial = min(_TRIAL, max(1, len(sentences) // 10))
    negated = seeded_order(sentences, seed, "trial")[:trial]
    apart = set(negated)
    return Texts(
        training=[sentence for sentence in sentences if sentence not in apart],
        negated=negated,
        plain=seeded_order(plain, seed, "trial")[:_TRIAL],
        about=section["found"],
        summary=section["summary"],
    )


def _extract(settings: NegationSettings) -> dict[str, Any]:
    from naysay.train.extraction import extract

    folder = settings.folder
    found = extract(
        list(settings.corpora),
        folder / _SENTENCES,
        rule=settings.rule,
        held_out=folder / _PLAIN,
        limit=settings.limit,
        seed=settings.plan.seed,
        wrapped=settings.wrapped,
    )
    section = {"files": _digests(folder), "found": found.as_dict(), "summary": found.summary}
    write_sections(folder, **{_SECTION: section})
    return section


def _digests(folder: Path) -> dict[str, str]:
    paths = [folder / name for name in (_SENTENCES, _PLAIN)]
    return {path.name: file_digest(path) for path in paths if path.is_file()}


def _lines(path: Path) -> list[str]:
    """The lines of a file; other characters that could end a line are part of it."""
    if not path.is_file():
        return []
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]
