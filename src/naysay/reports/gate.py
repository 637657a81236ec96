"""What a gate says: on the terminal, to GitHub's log and summary, and as JUnit's XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console

from naysay.analysis.gate import Gate
from naysay.analysis.losses import INFERIOR
from naysay.analysis.thresholds import Check
from naysay.core.records import legend
from naysay.reports.comparison import chance, fresh
from naysay.reports.markdown import escape, plain_table
from naysay.reports.tables import NONE, TextTable, number, with_unit
from naysay.reports.terminal import safe_text, show_cells

# What XML 1.0 cannot hold in any form; a model may say it nevertheless.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def show(gate: Gate, console: Console | None = None) -> None:
    """Print the checks, and the reasons why the gate is shut."""
    console = console or Console()
    for warning in gate.warnings:
        console.print(safe_text(f"Warning: {warning}.", style="yellow"))
    for note in gate.notes:
        console.print(safe_text(f"{note}.", style="dim"))
    console.print(safe_text(_about(gate), style="bold"))
    said: set[str] = set()
    for table in (*_short_tables(gate), *_other_tables(gate)):
        if table.title:
            console.print(safe_text(table.title, style="italic"))
        show_cells(table, console)
        if words := fresh("; ".join(table.notes), said):
            console.print(safe_text(words))
        console.print()
    if note := _unpaired_note(gate):
        console.print(safe_text(note, style="yellow"))
    for names, reason in _reasons(gate):
        console.print(safe_text(f"fails: {names}: {reason}", style="red"))
    console.print(safe_text(_verdict(gate), style=f"bold {'green' if gate.passed else 'red'}"))


def _in_words(gate: Gate) -> list[str]:
    """What the labels of conditions mean, suite by suite."""
    said = []
    for suite, meanings in gate.meanings.items():
        named = [check.name for check in gate.checks if check.suite == suite]
        if words := legend(meanings, named):
            said.append(f"{suite}: {words}.")
    return said


def _unpaired_note(gate: Gate) -> str:
    """What must be known of unpaired figures; empty if there is none."""
    if not any(check.unpaired for check in gate.checks):
        return ""
    return (
        "Unpaired: the runs share no items, or only some of a single cluster, which allow no "
        "interval. So each figure is on the run's own items, and a loss may come from the items "
        "instead of the model."
    )


def _reasons(gate: Gate) -> list[tuple[str, str]]:
    """Why checks fail; those of one suite that fail for the same reason together."""
    names: dict[tuple[str, str], list[str]] = {}
    for check in gate.failed:
        names.setdefault((check.suite, check.reason), []).append(check.name)
    return [(f"{suite} {', '.join(of)}".strip(), reason) for (suite, reason), of in names.items()]


def github_lines(gate: Gate) -> list[str]:
    """Each failed check as an error that GitHub shows beside the build."""
    return [
        f"::error title={_property(f'naysay: {_named(check)}')}::"
        f"{_data(f'{gate.model}: {check.reason}')}"
        for check in gate.failed
    ]


def markdown(gate: Gate) -> str:
    """The gate for a build's summary page."""
    parts = [f"## naysay gate: {'passed' if gate.passed else 'failed'}"]
    parts += [plain_table(table) for table in (*_full_tables(gate), *_other_tables(gate))]
    if gate.failed:
        reasons = tuple((_named(check), check.reason) for check in gate.failed)
        parts.append(plain_table(TextTable("", ("failed", "reason"), reasons, words=True)))
    notes = [f"{note}." for note in gate.notes] + _in_words(gate) + [_unpaired_note(gate)]
    last = [text for text in (*notes, _about(gate), _verdict(gate)) if text]
    return "\n\n".join([*parts, *map(escape, last)]) + "\n"


def append_summary(gate: Gate, path: Path) -> None:
    """Add the gate to a build's summary file, after what is there."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"\n{markdown(gate)}")


def junit(gate: Gate) -> str:
    """The checks as JUnit's XML: one test case for each."""
    skipped = sum(not check.applicable for check in gate.checks)
    counts = {
        "tests": str(len(gate.checks)), "failures": str(len(gate.failed)), "errors": "0",
        "skipped": str(skipped),
    }  # fmt: skip
    suites = ElementTree.Element("testsuites", {"name": "naysay gate", **counts})
    about = {"name": _xml(f"naysay gate {gate.model}"), **counts}
    suite = ElementTree.SubElement(suites, "testsuite", about)
    for check in gate.checks:
        named = {"classname": f"naysay.{check.kind}.{_xml(check.suite)}", "name": _xml(check.name)}
        case = ElementTree.SubElement(suite, "testcase", named)
        if not check.passed:
            failure = ElementTree.SubElement(case, "failure", {"message": _xml(check.reason)})
            failure.text = _xml(f"{_named(check)}: {check.reason}")
        elif not check.applicable:
            ElementTree.SubElement(case, "skipped", {"message": _xml(check.reason)})
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(check.reason)
    ElementTree.indent(suites)
    text: str = ElementTree.tostring(suites, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _about(gate: Gate) -> str:
    if not gate.against:
        return f"{gate.model}: floors and hard items"
    rule = (
        f"fails where a loss of more than {gate.margin:g} points is shown"
        if gate.rule == INFERIOR
        else f"fails unless a loss of {gate.margin:g} points is ruled out"
    )
    if gate.coverage and any(check.kind == "baseline" for check in gate.checks):
        rule += f", or where less than {gate.coverage:g} % of the baseline's items are compared"
    return f"{gate.label or gate.model} against {gate.against}: {rule}"


def _verdict(gate: Gate) -> str:
    count = sum(check.applicable for check in gate.checks)
    idle = len(gate.checks) - count
    more = f"; {idle} not applicable" if idle else ""
    if gate.passed:
        held = "the one check holds" if count == 1 else f"all {count} checks hold"
        return f"passed: {held}{more}."
    return f"failed: {len(gate.failed)} of {count} checks do not hold{more}."


def _against(check: Check) -> str:
    if check.against_as is not None:
        return with_unit(check.against_as, check.unit)
    return number(check.against, check.unit)


_COLUMNS: dict[str, Callable[[Check], str]] = {
    "baseline": _against,
    "run": lambda c: number(c.value, c.unit),
    "loss": lambda c: _signed(c.loss),
    "95 % interval": lambda c: NONE if c.low is None else f"{_signed(c.low)} to {_signed(c.high)}",
    "Holm": lambda c: chance(c.p_holm),
}


def _short_tables(gate: Gate) -> list[TextTable]:
    """The checks against a baseline for a terminal: a table for each table of a suite.

    The sample is in the title where all checks have the same.
    """
    groups: dict[str, list[Check]] = {}
    for check in _compared(gate):
        table = check.name.partition(".")[0]
        groups.setdefault(f"{check.suite} {table}", []).append(check)
    return [
        replace(_short_table(title, checks), notes=_legend(gate, checks))
        for title, checks in groups.items()
    ]


def _legend(gate: Gate, checks: Sequence[Check]) -> tuple[str, ...]:
    """What the labels in a suite's checks mean; nothing where they are words."""
    words = legend(gate.meanings.get(checks[0].suite, {}), (check.name for check in checks))
    return (words,) if words else ()


def _short_table(title: str, checks: Sequence[Check]) -> TextTable:
    columns = {"": lambda c: c.name.partition(".")[2], **_COLUMNS}
    held = [check for check in checks if check.applicable]
    samples = {_sample(check) for check in held}
    own = [check.name.partition(".")[2] for check in held if check.unpaired]
    if own:
        title = f"{title}, unpaired" + (f" ({', '.join(own)})" if len(own) < len(held) else "")
    if len(samples) == 1:
        title = f"{title}: n = {samples.pop()}"
    else:
        columns["n"] = lambda c: _sample(c, short=True)
    return _filled(title, {**columns, " ": _mark}, checks)


def _full_tables(gate: Gate) -> list[TextTable]:
    """The checks against a baseline in one table."""
    columns: dict[str, Callable[[Check], str]] = {
        "": _named,
        **_COLUMNS,
        "n": lambda c: NONE if c.n is None else f"{c.n:,}",
        "coverage": lambda c: NONE if c.coverage is None else f"{c.coverage:.1f} %",
        "items": lambda c: NONE if c.kind == "published" else _paired(c),
        " ": _mark,
    }
    checks = _compared(gate)
    return [_filled("", columns, checks)] if checks else []


def _compared(gate: Gate) -> list[Check]:
    return [check for check in gate.checks if check.n is not None and check.kind not in _FLOORS]


_FLOORS = ("min", "max")
"""The kinds of checks that have a limit in place of a baseline."""


def _filled(
    title: str, columns: dict[str, Callable[[Check], str]], checks: Sequence[Check]
) -> TextTable:
    """A table of the checks, without columns that are empty."""
    made = {name: [cell(check) for check in checks] for name, cell in columns.items()}
    kept = {name: of for name, of in made.items() if name == "" or set(of) != {NONE}}
    return TextTable(title, tuple(kept), tuple(zip(*kept.values(), strict=True)))


def _sample(check: Check, *, short: bool = False) -> str:
    """How many items are compared, and their share of the baseline's."""
    if not check.applicable:
        return NONE
    if check.coverage is None:
        return f"{check.n:,}"
    if short:
        return f"{check.n:,} ({check.coverage:.0f} %)"
    return f"{check.n:,}, {check.coverage:.1f} % of the baseline's"


def _paired(check: Check) -> str:
    if not check.n:
        return NONE
    return "each run's own (unpaired)" if check.unpaired else "common"


def _other_tables(gate: Gate) -> list[TextTable]:
    """Floors, and how many hard items are right; these are listed only if they fail."""
    floors = [check for check in gate.checks if check.kind in _FLOORS]
    hard = [check for check in gate.checks if check.kind == "hard"]
    tables = []
    if floors:
        limits = tuple(
            (
                f"{_named(c)} ({c.kind})",
                *(number(v, c.unit) for v in (c.against, c.value)),
                _mark(c),
            )
            for c in floors
        )
        tables.append(TextTable("", ("", "wanted", "run", ""), limits))
    if hard:
        right = sum(check.passed for check in hard)
        counted = ((f"{right:,} of {len(hard):,}", "ok" if right == len(hard) else "fails"),)
        tables.append(TextTable("", ("hard items right", ""), counted, words=True))
    return tables


def _signed(points: float | None) -> str:
    """A loss with its sign; one that rounds to nothing is no gain."""
    return NONE if points is None else f"{round(points, 1) + 0.0:+.1f}"


def _mark(check: Check) -> str:
    if not check.applicable:
        return "n/a"
    return "ok" if check.passed else "fails"


def _named(check: Check) -> str:
    return f"{check.suite} {check.name}".strip()


def _data(text: str) -> str:
    """Text as a message of GitHub's log commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Text as a property of GitHub's log commands."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _xml(text: str) -> str:
    """Text without what XML cannot hold; the rest is escaped where it is written."""
    return _NOT_XML.sub("\ufffd", text)
