"""The server: its pages, what it refuses, hostile strings, broken runs and runs being written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from naysay.view import folder as view_folder
from naysay.view.security import MOST_BYTES, POLICY
from viewing import MODELS, SUITES, Served, change_manifest, copy_runs, make_runs, name_of, served

NASTY = "<script>window.pwned = 1</script><img src=x onerror=alert(1)>'\"&{{ 7*7 }}\u202e"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_runs(tmp_path_factory.mktemp("server") / "runs")


@pytest.fixture(scope="module")
def server(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
        with served(runs) as found:
            yield found


def addresses(runs: Path) -> list[str]:
    one, two = (name_of(runs, model) for model in MODELS)
    return [
        "/",
        "/runs",
        f"/runs/{one}",
        "/models/known-aware-" + view_folder.slug("known:aware").rpartition("-")[2],
        *(f"/items/{two}/{suite}?verdict=wrong&page=2" for suite in SUITES),
        *(f"/items/{two}/{suite}/00000/0?at=1" for suite in SUITES),
        "/compare",
        f"/compare?first={one}&other={two}",
        "/try",
    ]


def test_every_page_and_every_link_on_it_is_there(server: Served, runs: Path) -> None:
    linked: set[str] = set()
    for address in addresses(runs):
        reply = server.get(address)
        assert reply.status == 200, (address, reply.text[-500:])
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["cache-control"] == "no-store"
        found = re.findall(r'(?:href|src)="(/[^"#]*)', reply.text)
        linked |= {one.replace("&amp;", "&") for one in found if not one.endswith("charts.js")}
        assert not re.findall(r'(?:href|src)="(?:https?:)?//', reply.text)
    seen: dict[str, str] = {}
    for address in sorted(linked):
        seen.setdefault(re.sub(r"\d+", "0", address), address)  # one of each kind
    for address in seen.values():
        assert server.get(address).status == 200, address


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1"},
        {"host": "localhost:1"},
        {"host": "127.0.0.1.evil.example:{port}"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:{port}"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
        {"sec_fetch_site": "same-site", "sec_fetch_mode": "cors"},
    ],
)
def test_foreign_hosts_and_origins_are_refused(server: Served, headers: dict[str, str]) -> None:
    own = {name: value.format(port=server.port) for name, value in headers.items()}
    for path in ("/", "/runs", "/try/state", "/assets/page.js", "/none"):
        reply = server.get(path, **own)
        assert reply.status == 403
        assert reply.headers["content-security-policy"] == POLICY
        assert "known" not in reply.text


def test_its_own_names_are_accepted(server: Served) -> None:
    for host in (f"localhost:{server.port}", f"[::1]:{server.port}"):
        assert server.get("/runs", host=host, origin=f"http://{host}").status == 200
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert server.get("/runs", **link).status == 200


def test_a_cross_site_post_does_nothing(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(server.trial, "ask", asked.append)
    question = {"client": "me", "model": "mini-aware", "text": "It is ▢."}
    for wrong in (
        {"origin": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "evil.example"},
        {"content_type": "text/plain"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"content_type": ""},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"},
        {"sec_fetch_site": "same-site"},
    ):
        assert server.post("/try/ask", question, **wrong).status == 403, wrong
    assert server.post("/try/ask", "x" * MOST_BYTES).status == 403
    assert not asked
    assert server.post("/try/ask", question).status == 200
    assert asked == [question]


def test_no_method_but_reading_and_asking(server: Served) -> None:
    own = {"origin": server.address, "content_type": "application/json", "content_length": "0"}
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert server.send(method, "/", own).status == 403
    assert server.post("/", {}).status == 404
    assert server.get("/try/ask").status == 404
    bad = server.send("POST", "/try/ask", {k: v for k, v in own.items() if "length" not in k}, "{")
    assert (bad.status, json.loads(bad.text)) == (400, {"problem": "the question is no JSON"})


def test_what_is_nested_too_deeply_is_no_question(server: Served) -> None:
    own = {"origin": server.address, "content_type": "application/json"}
    for path in ("/try/ask", "/try/again"):
        reply = server.send("POST", path, own, "[" * 60_000)
        assert (reply.status, json.loads(reply.text)) == (
            400,
            {"problem": "the question is no JSON"},
        )


def test_an_error_that_nobody_foresaw_has_a_page_and_no_traceback(
    server: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> str:
        raise ZeroDivisionError("a fault of the view")

    monkeypatch.setattr(server.site, "home", fail)
    monkeypatch.setattr(server.trial, "ask", fail)
    page = server.get("/")
    assert page.status == 500
    assert "This page cannot be shown (ZeroDivisionError: a fault of the view)." in page.text
    assert page.headers["content-security-policy"] == POLICY
    answer = server.post("/try/ask", {})
    assert answer.status == 500
    assert "ZeroDivisionError" in json.loads(answer.text)["problem"]
    said = capfd.readouterr()
    assert "Traceback" not in said.err + said.out
    assert "/ cannot be shown: ZeroDivisionError: a fault of the view" in said.err


def test_only_a_filter_that_is_set_seems_set(server: Served, runs: Path) -> None:
    name = name_of(runs, "known:blind")

    def chosen(text: str) -> dict[str, str]:
        selects = re.findall(r'<select name="is\.(\w+)">(.*?)</select>', text, re.S)
        marked = {n: re.findall(r'<option value="([^"]*)" selected>', body) for n, body in selects}
        return {n: values[0] for n, values in marked.items() if values}

    plain = server.get(f"/items/{name}/gh22").text
    assert '<option value="(empty)">(empty) (' in plain
    assert chosen(plain) == {}
    table = server.site.database.table(server.site.folder.find(name), "gh22")
    facet = next(one for one in table.facets if "" in dict(one.values))
    found = server.get(f"/items/{name}/gh22?is.{facet.name}=(empty)").text
    assert chosen(found) == {facet.name: "(empty)"}
    assert f"of {dict(facet.values)['']:,} rows" in found
    assert f"is.{facet.name}=%28empty%29&amp;at=1" in found  # the items keep it


def test_scores_of_sentences_have_a_scale(server: Served, runs: Path) -> None:
    text = server.get(f"/items/{name_of(runs, 'known:blind')}/semantoneg/00000/0").text
    assert "The bars show the likeness." in text


def test_flipped_items_say_what_their_condition_means(server: Served, runs: Path) -> None:
    one, two = (name_of(runs, model) for model in MODELS)
    text = server.get(f"/compare?first={one}&other={two}").text
    cells = re.findall(r'<td data-of="condition"[^>]*>scnt (\w+) <span class="quiet">([^<]+)', text)
    assert dict(cells)["CpTn"]
    [link] = re.findall(r'<a href="#([^"]+)">To the figures</a>', text)
    assert f'id="{link}"' in text


def test_the_leaderboard_is_drawn_once_until_something_changes(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_folder, "_FRESH", 0.0)
    mine = copy_runs(runs, tmp_path)
    with served(mine) as server:
        for run in server.site.folder.runs():
            server.site.verdicts.wait(run)
        drawn: list[str] = []
        draw = server.site.draw

        def drawing(template: str, *given: Any, **more: Any) -> str:
            drawn.append(template)
            return draw(template, *given, **more)

        monkeypatch.setattr(server.site, "draw", drawing)
        first = server.get("/").text
        assert server.get("/").text == first
        assert drawn == ["home.html"]
        change_manifest(
            mine, name_of(mine, "known:blind"), lambda record: record["model"].update(name="other")
        )
        assert "other" in server.get("/").text
        assert drawn == ["home.html"] * 2


@pytest.mark.parametrize(
    "path",
    [
        "/runs/..", "/runs/../../etc/passwd", "/runs/%2e%2e", "/runs/..%2f..%2fetc%2fpasswd",
        "/assets/../server.py", "/assets/..%2fserver.py", "/assets/%2fetc%2fpasswd",
        "/items/RUN/scnt/..%2f..%2f00000/0", "/items/RUN/..%2fscnt", "/items/RUN/scnt/00000/-1",
        "/items/RUN/scnt/00000/99999999", "/items/RUN/scnt/99999/0", "/items/RUN/none",
        "/models/none", "/compare?first=..&other=..", "/runs/RUN/manifest.json",
    ],
)  # fmt: skip
def test_no_path_leads_out(server: Served, runs: Path, path: str) -> None:
    reply = server.get(path.replace("RUN", name_of(runs, "known:blind")))
    assert reply.status == 404
    assert "root:" not in reply.text
    assert "import " not in reply.text


def test_hostile_strings_are_text(runs: Path, tmp_path: Path) -> None:
    mine = copy_runs(runs, tmp_path)
    name = name_of(mine, "known:blind")

    def change(record: dict[str, Any]) -> None:
        record["model"]["name"] = NASTY
        record["model"]["parameters"] = NASTY
        record["complaints"] = [NASTY]
        record["versions"] = {NASTY: NASTY}
        record["machine"] = {"system": NASTY}

    change_manifest(mine, name, change)
    (mine / name).rename(mine / "a <b> & '%2f' run")
    (mine / "broken<i>").mkdir()
    (mine / "broken<i>" / "manifest.json").write_text(json.dumps({"key": NASTY}))
    with served(mine) as server:
        run = server.site.folder.find(view_folder.slug("a <b> & '%2f' run"))
        server.site.verdicts.wait(run)
        model = view_folder.slug(NASTY)
        for path in ("/", "/runs", f"/runs/{run.slug}", f"/models/{model}", "/compare",
                     f"/items/{run.slug}/scnt?q={'%3Cscript%3E'}&is.verb=%3Cb%3E",
                     f"/items/{run.slug}/scnt/00000/0", "/runs/%3Cscript%3E"):  # fmt: skip
            text = server.get(path).text
            assert "<script>window" not in text
            assert "<img src=x" not in text
            assert "<b> &" not in text
            scripts = re.findall(r"<script(?! type=\"application/json\")([^>]*)>", text)
            assert all(re.fullmatch(r' defer src="/assets/\w+\.js"', one) for one in scripts)


def test_a_broken_run_is_shown_as_broken_and_the_others_work(runs: Path, tmp_path: Path) -> None:
    mine = copy_runs(runs, tmp_path)
    bad, good = (name_of(mine, model) for model in MODELS)
    shard = mine / bad / "scnt" / "00000.parquet"
    shard.write_bytes(b"PAR1" + bytes(100))
    with served(mine) as server:
        assert "This run is broken" in server.get(f"/runs/{bad}").text
        items = server.get(f"/items/{bad}/scnt")
        assert items.status == 422
        assert "corrupt" in items.text
        assert server.get(f"/items/{bad}/lama").status == 200
        assert server.get(f"/runs/{good}").status == 200
        server.site.verdicts.wait(server.site.folder.find(good))
        home = server.get("/").text
        assert "cannot be shown" in home
        assert "known:blind" in home


def test_a_run_that_is_being_written_can_be_watched(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_folder, "_FRESH", 0.0)
    mine = copy_runs(runs, tmp_path)
    name = name_of(mine, "known:blind")
    whole = json.loads((mine / name / "manifest.json").read_text())

    def begin(record: dict[str, Any]) -> None:
        record["finished"] = None
        record["shards"] = {f: s for f, s in record["shards"].items() if s["suite"] == "scnt"}

    change_manifest(mine, name, begin)
    with served(mine) as server:
        page = server.get(f"/runs/{name}").text
        assert "This run is not finished: 1 of 4 shards" in page
        [stamp] = re.findall(r'data-live="([^"]+)"', page)
        assert server.get(f"/items/{name}/scnt").status == 200
        assert "no rows of lama yet" in server.get(f"/items/{name}/lama").text
        home = server.get("/")
        [stamp] = re.findall(r'data-live="([^"]+)"', home.text)
        change_manifest(mine, name, lambda record: record.update(whole))
        assert server.get("/", x_stamp=stamp).status == 200
        done = server.get(f"/runs/{name}").text
        assert "data-live" not in done
        assert "not finished" not in done
        server.site.verdicts.wait(server.site.folder.find(name_of(mine, "known:aware")))
        home = server.get("/")
        assert "data-live" not in home.text
        assert server.get("/", x_stamp=server.site.stamp()).status == 204


def test_an_item_is_asked_again_only_with_its_own_model(runs: Path) -> None:
    name = name_of(runs, "known:blind")
    asked = {"client": "me", "model": "known:blind", "run": name, "suite": "scnt",
             "file": "scnt/00000.parquet", "row": 0}  # fmt: skip
    with served(runs, models=("known:blind", "known:aware")) as server:
        found = json.loads(server.post("/try/again", asked).text)
        assert "The model is a rule, which has no probabilities." in found["html"]
        other = json.loads(server.post("/try/again", {**asked, "model": "known:aware"}).text)
        assert "not of known:aware" in other["problem"]
        away = json.loads(server.post("/try/again", {**asked, "file": "../x.parquet"}).text)
        assert "there is no row" in away["problem"]
