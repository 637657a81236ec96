"""`naysay show`: show individual items of a run."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from naysay.cli._completion import models as known_models
from naysay.cli._completion import suites
from naysay.cli._output import RUNS, Json, OnlyRuns, run_argument
from naysay.core.errors import SpecError

_FIRST = 3
"""How many suites of a run are shown where none is named."""
_SEVERAL = 5
"""How many items of a suite are shown to who searches some, or wants to see more."""


def show(
    run: Annotated[str | None, run_argument()] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            "-t", "--suite", help="One of the run's suites. [default: all]", autocompletion=suites
        ),
    ] = None,
    triplet: Annotated[
        str | None,
        typer.Option(help="Instead of a run: name, profession and verb to put to models."),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            help="Model to put the triplet to; repeatable.",
            autocompletion=known_models,
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the triplet. [default: the suite's]")
    ] = None,
    item: Annotated[
        str,
        typer.Option(help="Text in the item's title or sentences, such as 'Mary · architect'."),
    ] = "",
    condition: Annotated[
        str | None, typer.Option(help="Condition that the item must have, such as CpTn.")
    ] = None,
    wrong: Annotated[
        bool | None,
        typer.Option(
            "--wrong/--right", help="Only wrong or only right items, in --condition if given."
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "-n", "--number", min=1, help=f"Items per suite. [default: 1; {_SEVERAL} if searched]"
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help=f"Every condition, of {_SEVERAL} items per suite.")
    ] = False,
    folder: OnlyRuns = RUNS,
    as_json: Json = False,
) -> None:
    """Show individual items of a run: the sentence and the answer in each condition.

    Or put one triplet to several models, without a run:
    naysay show --triplet "Jessica,dancer,smoke" -m MODEL -m MODEL
    """
    if triplet is not None:
        if run is not None or not models:
            raise SpecError('give models, and no run: --triplet "Jessica,dancer,smoke" -m MODEL')
        _show_triplet(triplet, models, suite, language, as_json=as_json)
        return
    if run is None or models:
        raise SpecError("give a run to show items of, or --triplet and models: naysay show --help")
    from naysay.run.lookup import find_run
    from naysay.run.search import Wish, search_all
    from naysay.suites import SUITES

    manifest = find_run(run, folder, [suite] if suite else ())
    wish = Wish(item, condition, None if wrong is None else not wrong)
    suites = [SUITES.get(name) for name in ([suite] if suite else manifest.planned)]
    searched = full or as_json or wish != Wish()
    count = number or (_SEVERAL if searched else 1)
    left = [] if searched or number else suites[_FIRST:]
    found = search_all(manifest, [one for one in suites if one not in left], wish, count)
    model = str(manifest.model["name"])
    if as_json:
        items = [
            {"suite": name, "scale": one.scale, **one.as_dict()}
            for name, several in found.items()
            for one in several
        ]
        print(json.dumps({"run": manifest.key, "model": model, "items": items}, ensure_ascii=False))
        return
    from rich.console import Console

    from naysay.reports.items import show_item
    from naysay.reports.terminal import safe_text

    console = Console()
    for name, several in found.items():
        for one in several:
            shown = one if searched else one.brief()
            show_item(shown, f"{name} · {model}", console, wish.points_at)
        if not several:
            print(f"{name}: no matching item; drop --item, --condition or --wrong")
    if left:
        names = ", ".join(one.name for one in left)
        console.print(safe_text(f"\nOther suites of the run, with -t: {names}"))
    if not searched:
        print(f"\nMore: -n {_SEVERAL}, --full (every condition), --wrong, --condition, --item TEXT")
    if manifest.finished is None:
        print(f"The run is not finished; resume it with: {manifest.run_spec.command()}")


def _show_triplet(
    triplet: str, models: list[str], suite: str | None, language: str | None, *, as_json: bool
) -> None:
    from naysay.run.triplet import ask_triplet, suite_of_triplets

    suite = suite or suite_of_triplets(language)
    given = {} if language is None else {"language": language}
    answers = list(ask_triplet(triplet, models, suite, given))
    if as_json:
        found = [one.as_dict() for one in answers]
        print(json.dumps({"suite": suite, "models": found}, ensure_ascii=False))
        return
    from rich.console import Console

    from naysay.reports.items import show_item, triplet_table
    from naysay.reports.terminal import show_table

    console = Console()
    for one in answers:
        for example in one.examples:
            show_item(example, f"{suite} · {one.model}", console)
    console.print()
    show_table(triplet_table(suite, answers), console)


COMMAND = show
