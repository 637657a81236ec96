"""`naysay build`: build your own test set in the style of SemAntoNeg."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._output import OUTPUT
from naysay.core.errors import DatasetError, SpecError, UnknownNameError


def build(
    kind: Annotated[str, typer.Argument(help="The suite that the set is for, as in semantoneg.")],
    out: Annotated[Path, typer.Option(*OUTPUT, help="Output file (JSON Lines).")],
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="Paraphrase pairs: tab-separated with two columns of sentences, or JSON Lines."
        ),
    ] = None,
    frames: Annotated[Path | None, typer.Option(help="TOML file with sentence frames.")] = None,
    review: Annotated[Path | None, typer.Option(help="Edited review file to build from.")] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            help="Word classes, comma-separated: adjective, verb, adverb, noun. "
            "[default: adjective with --pairs, otherwise all]"
        ),
    ] = None,
    negators: Annotated[
        str | None,
        typer.Option(
            help="Negators, comma-separated: not, never, hardly, no longer, without, prefix. "
            "[default: not with --pairs, otherwise all]"
        ),
    ] = None,
    senses: Annotated[
        str | None,
        typer.Option(
            help="With --pairs: use antonyms of the first sense or of all senses (first, all). "
            "[default: first]"
        ),
    ] = None,
    per_word: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of groups per word.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for choosing groups with --per-word.")] = 0,
    no_review: Annotated[
        bool, typer.Option("--no-review", help="Do not write a review file.")
    ] = False,
) -> None:
    """Build a test set like SemAntoNeg from paraphrases or sentence frames.

    Each group has a sentence, its negation, and both with the antonym. A review file is written
    next to the test set: edit it, then rebuild with --review. With --pairs, pairs without a group
    are written next to it, too, with the reasons.
    """
    from naysay.build.assembly import AssemblyChoice, build_frames, build_pairs, build_review
    from naysay.build.review import dropped_path, review_path, write_dropped, write_review
    from naysay.core.paths import write_text
    from naysay.data.items import CLASSES, NEGATORS, write_items
    from naysay.suites import SUITES

    # Suites that only borrow the items of another are asked with a set of that one.
    kinds = [s.name for s in SUITES.all() if s.frames and s.frames.parent == s.folder]
    if kind not in kinds:
        raise UnknownNameError("kind of set", kind, kinds)
    if sum(source is not None for source in (pairs, frames, review)) != 1:
        raise SpecError("give exactly one of --pairs, --frames and --review")
    if senses is not None and pairs is None:
        raise SpecError("--senses requires --pairs: frames and review files name their antonyms")
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
    beside = None if no_review or review is not None else review_path(out)
    text = write_review(built.groups, built.stays)
    if beside and built.groups and beside.exists() and beside.read_bytes() != text.encode():
        raise SpecError(
            f"{beside} already exists and may have been edited by hand. Build from it with "
            "--review, move it away, or give --no-review"
        )
    reasons = ""
    if pairs is not None and not no_review:
        write_text(dropped_path(out), write_dropped(built.dropped))
        reasons = f"pairs without a group, with reasons: {dropped_path(out)}"
    if not built.groups or not (beside or any(built.stays)):
        raise DatasetError(
            f"no group is left, so {out} was not written:\n{built.summary}\n{reasons}".rstrip()
        )
    if built.columns:
        print(f"sentences in columns: {built.columns}")
    print(built.summary)
    if reasons:
        print(reasons)
    if any(built.stays):
        write_text(out, write_items(built.items))
        print(f"written: {out}")
        todo = "review"
    else:
        print(f"not written: {out}, because every group is doubtful")
        todo = "write yes under keep for the groups that are right in"
    if beside is not None:
        write_text(beside, text)
        print(f"{todo} {beside}, then run:")
        print(f"  naysay build {kind} --review {beside} -o {out}")


def _senses(given: str | None) -> str:
    from naysay.build.antonyms import SENSES

    if given is not None and given not in SENSES:
        raise UnknownNameError("choice of senses", given, SENSES)
    return given or SENSES[0]


def _names(what: str, given: str | None, known: Iterable[str]) -> tuple[str, ...] | None:
    """Split a comma-separated option into names; return None if it was not given."""
    if given is None:
        return None
    names = tuple(name.strip() for name in given.split(","))
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return names


COMMAND = build
