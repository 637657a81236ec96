"""`naysay build`: a set of one's own, like SemAntoNeg."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from naysay.core.errors import DatasetError, SpecError, UnknownNameError


def build(
    kind: Annotated[str, typer.Argument(help="The kind of set: semantoneg")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The set, one JSON object a line.")],
    pairs: Annotated[
        Path | None, typer.Option(help="Paraphrases: two a line, with a tab; or JSON lines.")
    ] = None,
    frames: Annotated[Path | None, typer.Option(help="Sentence frames of your own, TOML.")] = None,
    review: Annotated[Path | None, typer.Option(help="A review file that you have edited.")] = None,
    classes: Annotated[
        str | None, typer.Option(help="adjective, verb, adverb, noun. [pairs: adjective; else all]")
    ] = None,
    negators: Annotated[
        str | None,
        typer.Option(help="not, never, hardly, no longer, without, prefix. [pairs: not; else all]"),
    ] = None,
    senses: Annotated[
        str | None, typer.Option(help="Antonyms of the first sense, or of all. [pairs: first]")
    ] = None,
    per_word: Annotated[
        int | None, typer.Option(min=1, help="At most so many groups with the same word.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Which groups balance takes.")] = 0,
    no_review: Annotated[bool, typer.Option("--no-review", help="Write no review file.")] = False,
) -> None:
    """Build a set: groups of a sentence, its negation, and both with the antonym.

    Beside the set stands a review file. Edit it, and build again from it with --review.
    """
    from naysay.build.assembly import AssemblyChoice, build_frames, build_pairs, build_review
    from naysay.build.review import review_path, write_review
    from naysay.core.paths import write_text
    from naysay.data.items import CLASSES, NEGATORS, write_items

    if kind != "semantoneg":
        raise UnknownNameError("kind of set", kind, ["semantoneg"])
    if sum(source is not None for source in (pairs, frames, review)) != 1:
        raise SpecError("give exactly one of --pairs, --frames and --review")
    if senses is not None and pairs is None:
        raise SpecError("--senses goes with --pairs only: frames and reviews name their antonyms")
    choice = AssemblyChoice(
        _names("class", classes, CLASSES), _names("negator", negators, NEGATORS), per_word, seed
    )
    if pairs is not None:
        built = build_pairs(pairs, choice, _senses(senses))
    elif frames is not None:
        built = build_frames(frames, choice)
    else:
        assert review is not None
        built = build_review(review, choice)
    if not any(built.stays):
        raise DatasetError(f"no group is left, so {out} was not written:\n{built.summary}")
    beside = None if no_review or review is not None else review_path(out)
    text = write_review(built.groups, built.stays)
    if beside is not None and beside.exists() and beside.read_bytes() != text.encode():
        raise SpecError(
            f"{beside} is there already and may have been edited by hand. Build from it with "
            "--review, move it away, or give --no-review"
        )
    write_text(out, write_items(built.items))
    print(built.summary)
    print(f"the set is in {out}")
    if beside is not None:
        write_text(beside, text)
        print(f"to be reviewed: {beside}; then: naysay build {kind} --review {beside} -o {out}")


def _senses(given: str | None) -> str:
    from naysay.build.antonyms import SENSES

    if given is not None and given not in SENSES:
        raise UnknownNameError("choice of senses", given, SENSES)
    return given or SENSES[0]


def _names(what: str, given: str | None, known: Iterable[str]) -> tuple[str, ...] | None:
    """The names in a comma-separated option, None if it is not given."""
    if given is None:
        return None
    names = tuple(name.strip() for name in given.split(","))
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return names


COMMAND = build
