"""Tables on terminals of any width: nothing is cut, nothing is wider."""

from __future__ import annotations

import io
import re
import shlex

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from naysay.reports.tables import TextTable
from naysay.reports.terminal import SOFT, folded, show_table

LETTERS = st.text(alphabet="abcdefgh", min_size=1, max_size=10)
LABELS = st.lists(LETTERS, min_size=1, max_size=4).map(" ".join)
FIGURES = st.floats(-100, 100).map(lambda value: f"{value:.1f} to {value + 9:.1f}")


@st.composite
def tables(draw: st.DrawFn) -> TextTable:
    columns = draw(st.lists(LABELS, min_size=1, max_size=9))
    row = st.tuples(LABELS, *(FIGURES for _ in columns))
    return TextTable("", ("", *columns), tuple(draw(st.lists(row, min_size=1, max_size=4))))


@given(tables(), st.sampled_from([40, 60, 80, 120]))
def test_every_figure_and_every_word_is_shown(table: TextTable, width: int) -> None:
    text = io.StringIO()
    show_table(table, Console(file=text, width=width))
    shown = text.getvalue()
    assert all(len(line) <= width for line in shown.splitlines())
    for row in table.rows:
        assert all(figure in shown for figure in row[1:])
    words = set(re.findall(r"[a-h]+", shown))
    assert {
        word for cell in (*table.columns, *(row[0] for row in table.rows)) for word in cell.split()
    } <= words


def test_a_models_name_above_figures_is_broken_only_where_it_must_be() -> None:
    name = f"known:{SOFT}blind"
    table = TextTable("", ("", name, "n"), (("a row", "1.0 to 2.0", "3"),))
    for width, shown in {80: "known:blind", 18: "known:\n"}.items():
        text = io.StringIO()
        show_table(table, Console(file=text, width=width))
        plain = "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
        assert shown in plain and SOFT not in plain and "u200b" not in plain


@given(st.lists(LETTERS, min_size=1, max_size=9), st.integers(20, 80))
def test_a_folded_command_is_the_same_command(words: list[str], width: int) -> None:
    command = shlex.join(["naysay", "run", *(f"--{word}" for word in words)])
    lines = folded(command, width)
    assert all(len(line) <= width for line in lines)
    assert shlex.split("\n".join(lines).replace("\\\n", " ")) == shlex.split(command)
