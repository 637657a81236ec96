"""All pages as files, for a web server or the appendix of a paper; no model can be tried there.

Filters and sorting work in the browser, over a sample of the rows: as many as a page can hold.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from naysay.core.console import counted
from naysay.core.errors import NaysayError, RunError
from naysay.core.paths import write_text
from naysay.reports.page import is_page
from naysay.view.comparisons import ShownComparison
from naysay.view.folder import RunFolder, SeenRun, slug
from naysay.view.links import Links
from naysay.view.server import assets
from naysay.view.site import Site

ROWS = 40
"""How many rows of each suite of a run are in the sample."""
FLIPS = 10
"""How many of the flipped items of a comparison have pages."""
COMPARED = 30
"""How many comparisons there are at most."""
Item = tuple[str, str, str, int]
"""Run, suite, shard and row."""


def write_bundle(folder: RunFolder, target: Path) -> int:
    """Write all pages to a folder, which must be new, empty or an older bundle; count them."""
    _check(target)
    if not folder.runs():
        raise RunError(f"there is no run in {folder.folder}: start one, or give --runs")
    site = Site(folder)
    try:
        return _Bundle(site, target).write()
    finally:
        site.close()


def _check(target: Path) -> None:
    if target.is_dir() and any(target.iterdir()) and not is_page(target / "index.html"):
        raise RunError(f"{target} holds something else than a bundle: choose a new directory")


class _Bundle:
    def __init__(self, site: Site, target: Path) -> None:
        self._site, self._target = site, target
        self._items: dict[Item, None] = {}
        self._count = 0

    def write(self) -> int:
        """Write all pages."""
        site, runs = self._site, self._site.folder.runs()
        for run in counted(runs, "judging runs"):
            site.verdicts.wait(run)
        readable = [run for run in runs if site.verdicts.wait(run).evaluation is not None]
        compared = self._comparisons(readable)
        self._choose(readable, compared)
        self._page("index.html", 0, site.home(Links(static=True)))
        self._page("runs.html", 0, site.runs(Links(static=True)))
        inside = Links(static=True, depth=1)
        for run in counted(runs, "writing runs"):
            self._page(f"runs/{run.slug}.html", 1, site.run(run.slug, inside))
        for model in dict.fromkeys(run.model for run in runs if run.manifest):
            self._page(f"models/{slug(model)}.html", 1, site.model(slug(model), inside))
        self._write_items(readable)
        pairs = [(one, two) for one, two, _ in compared]
        self._page("compare.html", 0, site.compare("", "", Links(static=True), pairs))
        for one, two, _ in compared:
            html = site.compare(one.slug, two.slug, inside, has=self._has)
            self._page(f"compare/{one.slug}--{two.slug}.html", 1, html)
        for name, (text, _) in assets().items():
            if name != "try.js":
                write_text(self._target / "assets" / name, text)
        return self._count

    def _page(self, path: str, depth: int, html: str) -> None:
        assert path.count("/") == depth
        write_text(self._target / path, html)
        self._count += 1

    def _has(self, run: str, suite: str, place: tuple[str, int]) -> bool:
        return (run, suite, *place) in self._items

    def _comparisons(self, runs: list[SeenRun]) -> list[tuple[SeenRun, SeenRun, ShownComparison]]:
        """The first pairs of runs that have items in common."""
        found: list[tuple[SeenRun, SeenRun, ShownComparison]] = []
        for one, two in combinations(reversed(runs), 2):
            if len(found) == COMPARED:
                break
            if not set(one.read().planned) & set(two.read().planned):
                continue
            try:
                found.append((one, two, self._site.comparisons.of(one, two)))
            except NaysayError:
                continue  # they have no item in common
        return found

    def _choose(
        self, runs: list[SeenRun], compared: list[tuple[SeenRun, SeenRun, ShownComparison]]
    ) -> None:
        """Choose the items that get pages: a sample of each suite, and those that flipped."""
        for run in runs:
            for suite in run.read().planned:
                for row in self._site.database.table(run, suite).spread(ROWS):
                    self._items[run.folder.name, suite, row.file, row.place] = None
        for one, two, shown in compared:
            for flip in shown.flips[:FLIPS]:
                self._items[one.folder.name, flip.flip.suite, *flip.first] = None
                if flip.other is not None:
                    self._items[two.folder.name, flip.flip.suite, *flip.other] = None

    def _write_items(self, runs: list[SeenRun]) -> None:
        by_name = {run.folder.name: run for run in runs}
        for name, suite, file, row in counted(list(self._items), "writing items"):
            shard = file.rpartition("/")[2].removesuffix(".parquet")
            run, part = by_name[name], slug(suite)
            links = Links(static=True, depth=4)
            html = self._site.item(run.slug, part, shard, row, (), links)
            self._page(f"items/{run.slug}/{part}/{shard}/{row}.html", 4, html)
        for run in runs:
            for suite in run.read().planned:
                html = self._site.sample(run.slug, slug(suite), ROWS, Links(static=True, depth=2))
                self._page(f"items/{run.slug}/{slug(suite)}.html", 2, html)
