"""The file formats of a report, chosen by the file name's ending."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from naysay.core.errors import SpecError
from naysay.core.paths import write_text, write_whole
from naysay.run.evaluation import Evaluation, estimates_table


def write_csv(evaluations: Sequence[Evaluation], path: Path) -> None:
    """The estimates as CSV, with a line of names."""
    import pyarrow.csv as csv

    csv.write_csv(estimates_table(evaluations), path)


def write_parquet(evaluations: Sequence[Evaluation], path: Path) -> None:
    """The estimates as Parquet."""
    import pyarrow.parquet as pq

    pq.write_table(estimates_table(evaluations), path, compression="zstd")


Writer = Callable[[Sequence[Evaluation], Path], None]


def _html(evaluations: Sequence[Evaluation], path: Path) -> None:
    from naysay.reports.html import html

    write_text(path, html(evaluations))


def _markdown(evaluations: Sequence[Evaluation], path: Path) -> None:
    from naysay.reports.markdown import markdown

    write_text(path, markdown(evaluations))


def _latex(evaluations: Sequence[Evaluation], path: Path) -> None:
    from naysay.reports.latex import latex

    write_text(path, latex(evaluations))


def _full_latex(evaluations: Sequence[Evaluation], path: Path) -> None:
    from naysay.reports.latex import latex

    write_text(path, latex(evaluations, full=True))


def _csv(evaluations: Sequence[Evaluation], path: Path) -> None:

    write_whole(path, lambda beside: write_csv(evaluations, beside))


def _parquet(evaluations: Sequence[Evaluation], path: Path) -> None:

    write_whole(path, lambda beside: write_parquet(evaluations, beside))


def save(evaluation: Evaluation) -> None:
    """Write the figures into the run's folder: `estimates.json`, and `report.md` for people."""
    from naysay.core.paths import write_json
    from naysay.reports.markdown import markdown

    write_json(evaluation.folder / "estimates.json", evaluation.as_dict())
    write_text(evaluation.folder / "report.md", markdown([evaluation]))


FORMS: dict[str, Writer] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".csv": _csv,
    ".parquet": _parquet,
}


def writer_for(path: Path, *, full: bool = False) -> Writer:
    """The writer for a file; raises before any work if the format or a library is missing.

    LaTeX has one table for each suite, unless it is to be `full`; the others have all tables.
    """
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise SpecError(f"{path}: a report must end in {', '.join(FORMS)}")
    if form is _html:
        need_pages()
    return _full_latex if full and form is _latex else form


def need_pages() -> None:
    """Raise an error if what HTML pages and pictures are made with is not installed."""
    from naysay.reports.page import missing_library

    try:
        import jinja2
        import vl_convert
    except ImportError as error:
        raise missing_library(error) from error
    del jinja2, vl_convert
