"""`naysay published`: the papers' printed figures, with one's own runs among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from naysay.cli._completion import suites
from naysay.cli._output import OUTPUT, RUNS, Json, Runs, readable_runs, runs_argument
from naysay.core.console import counted, notify
from naysay.core.errors import NaysayError, SpecError, UnknownNameError

_FORMS = (".csv", ".md", ".tex", ".json")


def published(
    suite: Annotated[
        str | None,
        typer.Argument(
            help="A suite, or balanced. [default: list all tables of all papers]",
            autocompletion=suites,
        ),
    ] = None,
    runs: Annotated[list[str] | None, runs_argument("[default: all finished runs]")] = None,
    table: Annotated[
        str | None, typer.Option(help="One table, by its number or name: 6, drops.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(*OUTPUT, help="Output file: .csv, .md, .tex or .json."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All tables of the suite.")] = False,
    folder: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Show the papers' printed figures, and place your runs among them.

    Try: naysay published semantoneg
    """
    from rich.console import Console

    from naysay.analysis.leaderboard import find_boards, is_called, with_runs
    from naysay.core.paths import write_text
    from naysay.reports import leaderboard
    from naysay.reports.overview import labelled
    from naysay.reports.terminal import safe_text, show_table
    from naysay.run.evaluation import judge
    from naysay.run.lookup import find_each

    if out is not None and out.suffix not in _FORMS:
        raise SpecError(f"--output {out}: the file name must end in {', '.join(_FORMS)}")
    papers = leaderboard.all_papers()
    if suite is None and table is not None:
        raise SpecError("--table needs a suite: naysay published SUITE --table 6")
    chosen = [suite] if suite else list(papers)
    boards = [board for name in chosen for board in find_boards(papers, name, table)]
    whole = table is not None
    examples = leaderboard.other_tables(papers, suite, whole_paper=whole) if suite else {}
    if table is not None:
        sources = dict.fromkeys([*examples, *leaderboard.sources(papers, str(suite))])
        examples = {source: ts for source, ts in examples.items() if is_called(source, table)}
        if not boards and not examples:
            raise UnknownNameError("table", table, sources)
    if suite is None and out is None and not as_json:
        for listed in leaderboard.listing(boards, papers):
            show_table(listed)
        print("Show a suite's tables, with your runs among the models: naysay published SUITE")
        return
    shown = {board.suite for board in boards}
    manifests = find_each(runs, folder, shown) if runs else readable_runs(folder)
    finished = [manifest for manifest in manifests if manifest.finished]
    having = [manifest for manifest in finished if shown & set(manifest.planned)]
    for manifest in manifests if runs else ():
        if manifest not in having:
            notify(f"not placed: {manifest.folder} is not finished, or has no {', '.join(shown)}")
    evaluations = []
    for manifest in counted(having, "judging runs"):
        try:
            evaluations.append(judge(manifest))
        except NaysayError as error:
            notify(f"left out: {error}")
    placed = labelled(evaluations)
    boards = [with_runs(board, placed) for board in boards]
    if as_json:
        print(json.dumps(leaderboard.records(boards, papers), ensure_ascii=False, allow_nan=False))
        return
    if out is not None:
        write_text(out, leaderboard.written(boards, papers, out.suffix))
        print(f"written: {out}")
        return
    if table is None and not full and boards:
        tables, others = leaderboard.first_screen(boards)
        for each in tables:
            show_table(each)
        more = f"All tables: naysay published {suite} --full; one: --table, by number or name"
        for text in filter(None, (others, more)):
            Console().print(safe_text(text))
        return
    singles = [one for tables in examples.values() for one in tables]
    for each in (*leaderboard.shown(boards, every=table is not None), *singles):
        show_table(each)


COMMAND = published
