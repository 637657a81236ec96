"""What a gate says: on the terminal, to GitHub's log and summary, and as JUnit's XML."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.text import Text

from naysay.analysis.gate import INFERIOR, Gate
from naysay.analysis.thresholds import Check
from naysay.reports.markdown import escape, plain_table
from naysay.reports.tables import NONE, TextTable, number, with_unit
from naysay.reports.terminal import rich_table

# What XML 1.0 cannot hold in any form; a model may say it nevertheless.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def show(gate: Gate, console: Console | None = None) -> None:
    """Print the checks, and the reasons why the gate is shut."""
    console = console or Console()
    for warning in gate.warnings:
        console.print(Text(f"Warning: {warning}.", style="yellow"))
    console.print(Text(_about(gate), style="bold"))
    for table in _tables(gate):
        console.print(rich_table(table))
    for check in gate.failed:
        console.print(Text(f"fails: {_named(check)}: {check.reason}", style="red"))
    console.print(Text(_verdict(gate), style=f"bold {'green' if gate.passed else 'red'}"))


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
    for table in _tables(gate):
        parts.append(plain_table(table))
    if gate.failed:
        reasons = tuple((_named(check), check.reason) for check in gate.failed)
        parts.append(plain_table(TextTable("", ("failed", "reason"), reasons, words=True)))
    return "\n\n".join([*parts, escape(_about(gate)), escape(_verdict(gate))]) + "\n"


def append_summary(gate: Gate, path: Path) -> None:
    """Add the gate to a build's summary file, after what is there."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"\n{markdown(gate)}")


def junit(gate: Gate) -> str:
    """The checks as JUnit's XML: one test case for each."""
    counts = {"tests": str(len(gate.checks)), "failures": str(len(gate.failed)), "errors": "0"}
    suites = ElementTree.Element("testsuites", {"name": "naysay gate", **counts})
    about = {"name": _xml(f"naysay gate {gate.model}"), **counts}
    suite = ElementTree.SubElement(suites, "testsuite", about)
    for check in gate.checks:
        named = {"classname": f"naysay.{check.kind}.{_xml(check.suite)}", "name": _xml(check.name)}
        case = ElementTree.SubElement(suite, "testcase", named)
        if not check.passed:
            failure = ElementTree.SubElement(case, "failure", {"message": _xml(check.reason)})
            failure.text = _xml(f"{_named(check)}: {check.reason}")
    ElementTree.indent(suites)
    text: str = ElementTree.tostring(suites, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _about(gate: Gate) -> str:
    against = f" against {gate.against}" if gate.against else ""
    if not gate.against:
        return f"{gate.model}: floors and hard items"
    rule = (
        f"fails where a loss of more than {gate.margin:g} points is shown"
        if gate.rule == INFERIOR
        else f"fails unless a loss of {gate.margin:g} points is ruled out"
    )
    return f"{gate.model}{against}: {rule}"


def _verdict(gate: Gate) -> str:
    count = len(gate.checks)
    if gate.passed:
        return f"passed: all {count} checks hold."
    return f"failed: {len(gate.failed)} of {count} checks do not hold."


def _against(check: Check) -> str:
    if check.against_as is not None:
        return with_unit(check.against_as, check.unit)
    return number(check.against, check.unit)


def _tables(gate: Gate) -> list[TextTable]:
    """The figures that were checked; hard items are listed only if they fail."""
    held = [check for check in gate.checks if check.kind in ("baseline", "published")]
    floors = [check for check in gate.checks if check.kind in ("min", "max")]
    hard = [check for check in gate.checks if check.kind == "hard"]
    tables = []
    if held:
        rows = [
            (
                _named(c), _against(c), number(c.value, c.unit),
                _signed(c.loss),
                NONE if c.low is None else f"{_signed(c.low)} to {_signed(c.high)}", _mark(c),
            )
            for c in held
        ]  # fmt: skip
        columns = ("", "baseline", "run", "loss", "95 % interval", "")
        tables.append(TextTable("", columns, tuple(rows)))
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
    if not check.passed:
        return "fails"
    return "ok" if check.loss is not None or check.kind in ("min", "max") else "n/a"


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
