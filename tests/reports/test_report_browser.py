"""The page in a real browser without a network: drawn, safe, and usable by keyboard.

Skipped where there is no browser; CHROME may name one that is not on the path.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from browser import Browser, browser_path, browsing
from naysay import evaluate
from naysay.core.probes import Answer, Fill, FillBlank, Guess, Probe
from naysay.data.languages import LANGUAGES
from naysay.models.known import KnownModel
from naysay.reports.html import html
from naysay.reports.page import page
from naysay.reports.sections import Prose, Section

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        browser_path() is None, reason="no chromium or google-chrome on the path, nor in CHROME"
    ),
]
SCRIPT = "<script>window.pwned = 1</script>"
IMAGE = '<img src=x onerror="window.pwned = 2">'
TURNED = "\u202edesrever\u202c"
ENDING = "</script><!-- ]]> \u2028 ' \" & {{ 7 * 7 }}"
NASTY = (SCRIPT, IMAGE, TURNED, ENDING)
NAME = f"model {SCRIPT} \u202e'\"& {IMAGE}"
SHOWN = ("scnt", "gh22", "semantoneg", "lama", "lama_misprimed")
DRAWN = """[...document.querySelectorAll('.drawing')].map(place => {
  const svg = place.querySelector('svg');
  const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
  return Math.min(box.width, box.height, place.querySelectorAll('path, line').length * 50);
})"""


class NastyModel(KnownModel):
    """A model whose guesses would be markup if they were not text."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Whatever the rule says; then nasty words, each less likely."""
        return [self._nasty(answer) for answer in super().ask(probes)]

    def _nasty(self, answer: Any) -> Any:
        if not isinstance(answer, Fill):
            return answer
        more = tuple(Guess(word, -1.0 - k) for k, word in enumerate(NASTY))
        return Fill((*answer.top, *more), answer.scores, answer.tie)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of three models."""
    folder = tmp_path_factory.mktemp("report")
    models = ("known:aware", "known:blind", "known:random")
    runs = [evaluate(model, SHOWN, limit=6, out=folder / "runs") for model in models]
    path = folder / "report.html"
    path.write_text(html(runs), encoding="utf-8")
    return path


class RealModel(KnownModel):
    """A model that is not called a control, although its answers are known."""

    kind = "masked"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two models in three suites, with their controls."""
    folder = tmp_path_factory.mktemp("real")
    verbs = LANGUAGES.get("en").lexicon.verbs
    models = [
        "known:aware", "known:blind",
        *(RealModel(name, lambda text, words: True, (name,), verbs) for name in ("one", "two")),
    ]  # fmt: skip
    suites = ("scnt", "gh22", "lama")
    runs = [evaluate(model, suites, limit=6, out=folder / "runs") for model in models]
    path = folder / "report.html"
    path.write_text(html(runs), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a model whose name, verbs and guesses are markup."""
    folder = tmp_path_factory.mktemp("nasty")
    words = folder / "words.toml"
    words.write_text(f"[verbs]\nwords = {json.dumps(NASTY)}\n", encoding="utf-8")
    model = NastyModel(NAME, lambda text, words: True, ("nasty",), NASTY)
    assert FillBlank in model.answers
    suites = ["scnt", "scnt_controls"]
    run = evaluate(model, suites, limit=4, lexicon=str(words), out=folder / "runs")
    other = evaluate("known:aware", ["scnt"], limit=4, out=folder / "runs")
    path = folder / "report.html"
    path.write_text(html([run, other]), encoding="utf-8")
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_everything_is_drawn_without_a_complaint(
    browser: Browser, report: Path, width: int, dark: bool
) -> None:
    browser.show(report, width=width, dark=dark)
    drawn = browser.value(DRAWN)
    assert len(drawn) >= 15 and min(drawn) > 50
    assert browser.complaints == []
    assert browser.value("document.querySelectorAll('.drawing .role-legend-entry').length") == 0
    assert browser.value("document.documentElement.scrollWidth") <= width
    ground = browser.value("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) < 200) is dark


def test_nothing_that_a_model_says_is_run(browser: Browser, nasty: Path) -> None:
    browser.show(nasty)
    assert browser.value("window.pwned") is None
    assert browser.complaints == []
    assert browser.value("document.querySelectorAll('img').length") == 0
    assert browser.value("document.scripts.length") == 3  # the data, the library, the page's own
    names = browser.value(
        "[...document.querySelectorAll('.board .name bdi')].map(b => b.innerText)"
    )
    assert browser.value("document.querySelector('.board .name bdi').textContent") == NAME
    assert len(names) == 2
    words = browser.value("[...document.querySelectorAll('.guesses bdi')].map(b => b.textContent)")
    assert set(NASTY) <= set(words)
    texts = browser.value("[...document.querySelectorAll('.text bdi')].map(b => b.textContent)")
    assert all(any(word in text for text in texts) for word in NASTY)
    assert all(
        browser.value(f"getComputedStyle(document.querySelector('{where}')).unicodeBidi")
        == "isolate"
        for where in (".guesses bdi", ".text bdi", ".board .name bdi")
    )


def test_a_script_that_got_in_would_not_run(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    text = page("Title", [Section("One", (Prose(("MARK",)),))])
    path.write_text(text.replace("MARK", SCRIPT + IMAGE), encoding="utf-8")
    browser.show(path)
    assert browser.value("document.querySelectorAll('img').length") == 1
    assert browser.value("window.pwned") is None
    assert any("Content Security Policy" in told for told in browser.complaints)


def test_tooltips_tell_the_figure_as_text(browser: Browser, nasty: Path) -> None:
    browser.show(nasty)
    place = browser.value(
        "(() => { const mark = document.querySelector('.drawing .mark-symbol path');"
        " mark.scrollIntoView({block: 'center', behavior: 'instant'});"
        " const box = mark.getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    for _ in range(2):
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    told = browser.value("document.getElementById('vg-tooltip-element').textContent")
    assert SCRIPT in told and "%" in told
    assert browser.value("window.pwned") is None


def test_a_model_can_be_hidden_everywhere(browser: Browser, report: Path) -> None:
    browser.show(report)
    count = "document.querySelectorAll('.drawing .mark-symbol path').length"
    before = browser.value(count)
    browser.value("document.querySelector('.toggle').click(); new Promise(r => setTimeout(r, 0))")
    browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    after = browser.value(count)
    assert 0 < after < before
    pressed = "[...document.querySelectorAll('.toggle')].map(b => b.getAttribute('aria-pressed'))"
    assert set(browser.value(pressed)[::3]) == {"false"}
    assert set(browser.value(pressed)[1::3]) == {"true"}


def test_the_theme_can_be_chosen(browser: Browser, report: Path) -> None:
    browser.show(report)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = browser.value(ground)
    ink = "getComputedStyle(document.querySelector('.drawing .mark-symbol path')).fill"
    before = browser.value(ink)
    for _ in range(2):  # light, then dark
        browser.value("document.getElementById('theme').click()")
    assert browser.value("document.getElementById('theme').textContent") == "Theme: dark"
    assert browser.value(ground) != light
    assert browser.value(ink) != before
    browser.value("localStorage.clear()")


def test_the_keyboard_is_enough(browser: Browser, report: Path) -> None:
    browser.show(report)
    browser.press("Tab", 9)
    assert browser.value("document.activeElement.className") == "skip"
    browser.press("Enter", 13)
    assert browser.value("document.activeElement.id") == "content"
    box = "document.querySelector('.examples')"
    shown = f"[...{box}.querySelectorAll('.example')].findIndex(card => !card.hidden)"
    assert browser.value(shown) == 0
    browser.value(f"{box}.querySelector('[data-step=\"1\"]').focus()")
    browser.press("Enter", 13)
    assert browser.value(shown) == 2
    told = browser.value(f"{box}.querySelector('output').textContent")
    assert told.startswith("3–4 of ")
    browser.value(
        f"(() => {{ const choice = {box}.querySelector('[data-by=model]');"
        " choice.value = 'known:blind'; choice.dispatchEvent(new Event('change')); })()"
    )
    cards = f"[...{box}.querySelectorAll('.example:not([hidden])')].map(c => c.dataset.model)"
    assert set(browser.value(cards)) == {"known:blind"}


def test_charts_speak(browser: Browser, report: Path) -> None:
    browser.show(report)
    tree = browser.call("Accessibility.getFullAXTree")["nodes"]
    images = [node for node in tree if node.get("role", {}).get("value") in ("image", "img")]
    told = [node["name"]["value"] for node in images if "chart:" in node["name"]["value"]]
    assert len(told) == browser.value("document.querySelectorAll('.drawing').length")
    assert all("known:aware" in words for words in told)


INSIDE = """(selector => [...document.querySelectorAll(selector)].map(one => {
  const box = one.getBoundingClientRect();
  return box.bottom <= innerHeight && box.right <= innerWidth && box.width > 0;
}))"""


def test_the_first_screen_says_which_model_fails_what(browser: Browser, real: Path) -> None:
    browser.show(real, width=1280, height=900)
    names = "[...document.querySelectorAll('.model .name bdi')].map(b => b.textContent)"
    assert browser.value(names) == ["one", "two"]
    for part in ("blockquote .text", ".model .chip", ".model .key"):
        seen = browser.value(f"{INSIDE}('{part}')")
        assert seen and all(seen), part
    words = browser.value("[...document.querySelectorAll('.model .key')].map(k => k.innerText)")
    assert all(re.search(r"\d( %)? \([-+\d.]+ to [-+\d.]+\)", text) for text in words)
    quotes = browser.value(
        "[...document.querySelectorAll('blockquote .text')].map(q => q.innerText)"
    )
    said = browser.value("[...document.querySelectorAll('blockquote .said')].map(q => q.innerText)")
    assert len(said) == 2 and all(
        quote.endswith(f"{word}.") for quote, word in zip(quotes, said, strict=True)
    )
    controls = "[...document.querySelectorAll('.known tbody .name')].map(b => b.innerText.trim())"
    assert browser.value(controls) == ["known:aware", "known:blind"]
    ink = "getComputedStyle(document.querySelector('.known .chip')).color"
    red, green, blue = map(int, browser.value(ink)[4:-1].split(","))
    assert max(red, green, blue) - min(red, green, blue) < 25  # grey


def test_examples_open_on_a_wrong_answer_with_the_blank_filled(
    browser: Browser, real: Path
) -> None:
    browser.show(real)
    card = "document.querySelector('.example:not([hidden])')"
    assert browser.value(f"{card}.dataset.outcome") == "wrong"
    assert browser.value(f"{card}.dataset.model") in ("one", "two")
    assert browser.value(f"{card}.querySelectorAll('.said.bad').length") > 0
    assert browser.value(f"{card}.querySelectorAll('.blank').length") == 0


def test_a_phone_sees_every_column(browser: Browser, report: Path) -> None:
    browser.show(report, width=400, height=860)
    browser.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.value("document.documentElement.scrollWidth") <= 400
    outside = """[...document.querySelectorAll('td, tbody th, .marks li, .chip')].filter(one => {
      const box = one.getBoundingClientRect();
      return box.width && (box.left < 0 || box.right > 400);
    }).length"""
    assert browser.value("document.querySelectorAll('td').length") > 100
    assert browser.value(outside) == 0


def test_printed_three_models_in_eight_tests_take_about_ten_pages(
    browser: Browser, tmp_path: Path
) -> None:
    models = ("known:aware", "known:blind", "known:random")
    names = (*SHOWN, "scnt_controls", "scnt_table2", "semantoneg_likelihood")
    runs = [evaluate(model, names, limit=6, out=tmp_path / "runs") for model in models]
    report = tmp_path / "report.html"
    report.write_text(html(runs), encoding="utf-8")
    browser.show(report, dark=True)
    printed = browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)
    pages = re.findall(rb"/Type */Page\b", base64.b64decode(printed["data"]))
    assert 8 <= len(pages) <= 12
    browser.call("Emulation.setEmulatedMedia", media="print")
    ink = "getComputedStyle(document.querySelector('.drawing text')).fill"
    assert sum(map(int, browser.value(ink)[4:-1].split(","))) < 400  # dark ink, whatever was shown
    absent = "[...document.querySelectorAll('nav, .controls, #theme, .copy, .fold, #making')]"
    assert browser.value(f"{absent}.filter(one => one.offsetParent).length") == 0
    cards = """[...document.querySelectorAll('.examples')].map(box =>
      [...box.querySelectorAll('.example')].filter(card => card.offsetHeight > 0).length)"""
    assert set(browser.value(cards)) == {3}
