"""Addresses of pages: on the server, or as files that lie in one folder and link to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from naysay.view.folder import slug


@dataclass(frozen=True)
class Links:
    """The addresses that a page links to.

    >>> Links().run("a b"), Links(static=True, depth=1).run("mini")
    ('/runs/a-b-c8687a08', '../runs/mini.html')
    """

    static: bool = False
    """Whether the pages are files."""
    depth: int = 0
    """How many folders deep the page itself lies."""

    def _to(self, path: str, query: Mapping[str, str] | None = None) -> str:
        asked = {name: value for name, value in (query or {}).items() if value}
        tail = f"?{urlencode(asked)}" if asked else ""
        if self.static:
            return f"{'../' * self.depth}{quote(path) or 'index'}.html{tail}"
        return f"/{quote(path)}{tail}"

    def home(self, **query: str) -> str:
        """The leaderboard."""
        return self._to("", query)

    def runs(self) -> str:
        """The list of runs."""
        return self._to("runs")

    def run(self, name: str) -> str:
        """A run, by the name of its folder."""
        return self._to(f"runs/{slug(name)}")

    def model(self, name: str) -> str:
        """A model, by its full name."""
        return self._to(f"models/{slug(name)}")

    def items(self, run: str, suite: str, query: Mapping[str, str] | None = None) -> str:
        """The items of a run's suite, filtered."""
        return self._to(f"items/{slug(run)}/{slug(suite)}", query)

    def item(
        self, run: str, suite: str, file: str, row: int, query: Mapping[str, str] | None = None
    ) -> str:
        """One item, by the shard and the number of one of its rows."""
        shard = file.rpartition("/")[2].removesuffix(".parquet")
        return self._to(f"items/{slug(run)}/{slug(suite)}/{shard}/{row}", query)

    def compare(self, first: str = "", other: str = "") -> str:
        """The comparison of two runs; without them, the page where they are chosen."""
        if not (first and other):
            return self._to("compare")
        if self.static:
            return self._to(f"compare/{slug(first)}--{slug(other)}")
        return self._to("compare", {"first": slug(first), "other": slug(other)})

    def trial(self, **query: str) -> str:
        """The page where a model is tried."""
        return self._to("try", query)

    def asset(self, name: str) -> str:
        """A style or a script."""
        return f"{'../' * self.depth}assets/{name}" if self.static else f"/assets/{name}"
