"""The pages of the app as text: what each shows, whether it is served or written to a file."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from concurrent.futures import wait
from functools import partial
from typing import Any

from naysay.reports.html import sections_of
from naysay.reports.page import parts_context
from naysay.reports.sections import Section
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES, in_order
from naysay.view.comparisons import Comparisons
from naysay.view.database import Database
from naysay.view.folder import RunFolder, SeenRun, UnknownRunError, slug
from naysay.view.links import Links
from naysay.view.overview import LIVE, broken_runs, counts, is_still
from naysay.view.pairs import PairReader
from naysay.view.queries import query_of
from naysay.view.ranking import Leaderboard, leaderboard
from naysay.view.rows import PAGE, Filters
from naysay.view.templates import Place, templates
from naysay.view.verdicts import Judged, Verdicts

EVERY = Filters({})


class Site:
    """All pages over one folder of runs."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.verdicts = Verdicts()
        self.database = Database(folder.folder)
        self.pairs = PairReader(self.database)
        self.comparisons = Comparisons(self.database)
        self._ranked: tuple[object, Leaderboard] | None = None
        self._home: tuple[object, str] | None = None

    def prepare(self) -> None:
        """Load what every first page needs, so that no reader waits for it."""
        SUITES.all()
        for name in templates().list_templates(["html"]):
            templates().get_template(name)

    def close(self) -> None:
        """End what works in the background."""
        self.verdicts.close()
        self.database.close()

    def fragment(self, template: str, **more: Any) -> str:
        """Return a part of a page."""
        html: str = templates().get_template(template).render(**more)
        return html

    def draw(
        self,
        template: str,
        place: Place,
        links: Links,
        sections: Sequence[Section] = (),
        **more: Any,
    ) -> str:
        """Return a page; its sections are drawn as in a report."""
        html: str = (
            templates()
            .get_template(template)
            .render(
                place=place,
                link=links,
                live=more.pop("live", ""),
                still=more.pop("still", True),
                **parts_context(sections),
                **more,
            )
        )
        return html.lstrip()

    def stamp(self) -> str:
        """Return what changes whenever a page about all runs may have more to show."""
        return f"{self.folder.stamp}-{self.verdicts.count}"

    def home(self, links: Links) -> str:
        """The leaderboard; it is drawn again when a run or a verdict has come."""
        stamp = self.stamp()  # before anything is read: what changes meanwhile is drawn next time
        runs = self.folder.runs()
        known = self.verdicts.of(runs)
        still = is_still(runs, known)
        key = stamp, still, links
        if self._home is None or self._home[0] != key:
            self._home = key, self._draw_home(runs, known, links, stamp, still)
        return self._home[1]

    def _draw_home(
        self,
        runs: Sequence[SeenRun],
        known: dict[str, Judged],
        links: Links,
        stamp: str,
        still: bool,
    ) -> str:
        return self.draw(
            "home.html",
            Place("Does the model understand “not”?", "home", counts(runs, known)),
            links,
            board=self.board(known),
            titles=_titles(),
            folders={run.read().key: run.folder.name for run in runs if run.manifest},
            pending=sum(one.pending for one in known.values()),
            unfinished=[run for run in runs if run.manifest and not run.finished],
            broken=broken_runs(runs, known),
            live=stamp,
            still=still,
        )

    def board(self, known: dict[str, Judged]) -> Leaderboard:
        """Return the leaderboard of all runs that are judged."""
        found = [one.evaluation for one in known.values() if one.evaluation is not None]
        key = frozenset(map(id, found))
        if self._ranked is None or self._ranked[0] != key:
            self._ranked = key, leaderboard(found)
        return self._ranked[1]

    def runs(self, links: Links) -> str:
        """All runs, also those that are being written or are broken."""
        runs = self.folder.runs()
        known = self.verdicts.of(runs)
        return self.draw(
            "runs.html",
            Place("Runs", "runs", counts(runs, known)),
            links,
            runs=[(run, known[run.slug]) for run in runs],
            live=self.stamp(),
            still=is_still(runs, known),
        )

    def run(self, name: str, links: Links) -> str:
        """One run: its verdicts, charts, examples and command, as far as it can be read."""
        run = self.folder.find(name)
        known = self.verdicts.wait(run)
        sections = sections_of([known.evaluation]) if known.evaluation else []
        suites = in_order(run.manifest.planned) if run.manifest else []
        title = f"{run.model} · {', '.join(suites)}" if run.manifest else run.folder.name
        return self.draw(
            "run.html",
            Place(title, "runs", f"Run {run.folder.name}"),
            links,
            sections,
            run=run,
            known=known,
            suites=suites,
            titles=_titles(),
            command=run.manifest.run_spec.command() if run.manifest else "",
            manifest=_manifest_text(run),
            live=run.stamp,
            still=run.finished or run.manifest is None or run.age > LIVE,
        )

    def model(self, name: str, links: Links) -> str:
        """One model: all its runs in one report."""
        runs = [run for run in self.folder.runs() if run.manifest and slug(run.model) == name]
        if not runs:
            raise UnknownRunError(f"there is no run of a model {name!r}")
        known = {run.slug: self.verdicts.wait(run) for run in runs}
        found: list[Evaluation] = [
            one.evaluation for one in known.values() if one.evaluation is not None
        ]
        return self.draw(
            "model.html",
            Place(runs[0].model, "home", f"{len(runs)} run{'s' if len(runs) > 1 else ''}"),
            links,
            sections_of(found) if found else [],
            runs=[(run, known[run.slug]) for run in runs],
            live=self.folder.stamp,
            still=all(run.finished or run.age > LIVE for run in runs),
        )

    def items(self, name: str, suite: str, filters: Filters, page: int, links: Links) -> str:
        """The rows of a run's suite, filtered and paged."""
        run = self.folder.find(name)
        table = self.database.table(run, self.suite(run, suite))
        found = table.page(filters, page, lazily=True)
        counted = table.counted and found.total is not None
        facets, texts = table.facets if table.counted else (), table.texts
        # The rest comes after what this page shows, which need not wait for it.
        if not counted:
            self.database.count(table, filters)
        self.database.judge(table)
        report = self._meanings(run, table.suite.name)
        outcomes = table.outcomes
        return self.draw(
            "items.html",
            Place(f"Items: {run.model} · {table.suite.name}", "runs", f"Run {run.folder.name}"),
            links,
            run=run,
            suite=table.suite.name,
            suites=in_order(run.read().planned),
            table=table,
            found=found,
            size=PAGE,
            facets=facets,
            texts=texts,
            filters=filters,
            query=partial(_query, filters),
            measures=list(outcomes.marks) if outcomes else [],
            meanings=report,
            live=f"{run.stamp}-{table.pending}-{counted}",
            still=counted and not table.pending and (run.finished or run.age > LIVE),
        )

    def sample(self, name: str, suite: str, count: int, links: Links) -> str:
        """Some rows of a run's suite, which are filtered in the browser."""
        run = self.folder.find(name)
        table = self.database.table(run, self.suite(run, suite))
        self.database.judge(table)
        if table.judging is not None:
            wait([table.judging])
        return self.draw(
            "sample.html",
            Place(f"Items: {run.model} · {table.suite.name}", "runs", f"Run {run.folder.name}"),
            links,
            run=run,
            suite=table.suite.name,
            suites=in_order(run.read().planned),
            table=table,
            rows=table.spread(count),
            meanings=self._meanings(run, table.suite.name),
        )

    def item(
        self,
        name: str,
        suite: str,
        shard: str,
        row: int,
        sides: Sequence[str],
        links: Links,
        *,
        filters: Filters = EVERY,
        at: int = 0,
        askable: Container[str] = (),
    ) -> str:
        """One item as its minimal pair.

        `filters` and `at` say in which list it was found, and where; `askable` are the models that
        can be asked again.
        """
        run = self.folder.find(name)
        chosen = self.suite(run, suite)
        pair = self.pairs.read(run, chosen, f"{chosen}/{shard}.parquet", row, sides)
        return self.draw(
            "item.html",
            Place(pair.example.title, "runs", f"{run.model} · {chosen}"),
            links,
            run=run,
            suite=chosen,
            pair=pair,
            file=pair.row.file,
            place_in_file=pair.row.place,
            again=run.model if run.model in askable else "",
            kept=_query(filters, None, at),
            back=_query(filters, -(-at // PAGE)),
            near=self._neighbours(run, chosen, filters, at, links),
        )

    def _neighbours(
        self, run: SeenRun, suite: str, filters: Filters, at: int, links: Links
    ) -> dict[str, str]:
        """The addresses of the items before and after, in the list in which one was found."""
        found = {"before": "", "after": "", "where": ""}
        if at < 1:
            return found
        table = self.database.table(run, suite)
        total = table.total(filters)
        for side, there in (("before", at - 1), ("after", at + 1)):
            if 1 <= there <= total:
                [row] = table.page(filters, there, 1).rows
                query = _query(filters, None, there)
                found[side] = links.item(run.folder.name, suite, row.file, row.place, query)
        return {**found, "where": f"{at:,} of {total:,}"}

    def compare(
        self,
        first: str,
        other: str,
        links: Links,
        pairs: Sequence[tuple[SeenRun, SeenRun]] = (),
        has: Callable[..., bool] | None = None,
    ) -> str:
        """Two runs, with the items that flipped between them first.

        For files, `pairs` are the runs that are compared, and `has` says which items have a page.
        """
        runs = [run for run in self.folder.runs() if run.finished]
        shown = None
        if first and other:
            shown = self.comparisons.of(self.folder.find(first), self.folder.find(other))
        title = "Compare two runs" if shown is None else f"{shown.other} against {shown.first}"
        return self.draw(
            "compare.html",
            Place(title, "compare"),
            links,
            shown.sections if shown else (),
            runs=runs,
            first=first,
            other=other,
            shown=shown,
            pairs=pairs,
            has=has or (lambda *place: True),
        )

    def error(self, problem: str, links: Links) -> str:
        """The page that says why there is no other."""
        return self.draw("error.html", Place("Not to be shown"), links, problem=problem)

    def suite(self, run: SeenRun, name: str) -> str:
        """Return the run's suite with this name in addresses."""
        for suite in run.read().planned:
            if slug(suite) == name:
                return suite
        raise UnknownRunError(f"{run.folder.name} has no suite {name!r}")

    def _meanings(self, run: SeenRun, suite: str) -> dict[str, str]:
        from naysay.suites.report import report_of

        spec = run.read().run_spec
        return report_of(suite).meanings(lambda option: spec.value(option, suite))


def _query(filters: Filters, page: int | None = None, at: int = 0) -> dict[str, str]:
    """The filters in an address, with a page of the list or a place in it."""
    more = {"page": str(page) if page and page > 1 else "", "at": str(at) if at else ""}
    return query_of(filters) | {name: value for name, value in more.items() if value}


def _titles() -> dict[str, str]:
    """What each test is called in full."""
    return {suite.name: suite.card.title for suite in SUITES.all()}


def _manifest_text(run: SeenRun) -> str:
    """The manifest as it is stored, without the long list of shards."""
    import msgspec

    if run.manifest is None:
        return ""
    manifest = run.manifest
    record = {
        "key": manifest.key, "naysay": manifest.naysay, "spec": manifest.spec,
        "model": manifest.model, "machine": manifest.machine, "versions": manifest.versions,
        "started": manifest.started, "finished": manifest.finished, "counts": manifest.counts,
        "seconds": manifest.seconds, "planned": manifest.planned,
        "complaints": manifest.complaints,
    }  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode()
