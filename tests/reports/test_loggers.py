"""Logging to W&B and MLflow, in their offline modes: what they hold is what the run found.

Each is skipped where the library is missing; `make setup` installs both.
"""

from __future__ import annotations

import importlib
import json
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, refused
from naysay.reports.loggers import FILES, figures_of, without_secrets
from naysay.run.evaluation import evaluate, judge

RUN = ("run", "-m", "known:blind", "-t", "scnt", "--limit", "6")


def needed(library: str) -> None:
    """Skip where the library is missing; imported here, its warnings are not the test's."""
    pytest.importorskip(library)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files below the test's folder, and no connection to anywhere but this machine."""
    places = ("WANDB_DIR", "WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR")
    for name in places:
        monkeypatch.setenv(name, str(tmp_path / "wandb-files"))
    for name, value in {
        "WANDB_MODE": "offline",
        "WANDB_ERROR_REPORTING": "false",
        "WANDB_API_KEY": "a" * 40,
        "MLFLOW_DISABLE_TELEMETRY": "true",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "wandb-files").mkdir()
    connect = socket.socket.connect

    def local(self: socket.socket, address: Any) -> None:
        outside = self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1")
        assert not outside, f"a connection to {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local)


def test_the_figures_have_names_that_every_logger_takes(tmp_path: Path) -> None:
    found = evaluate("known:blind", "gh22", limit=6, out=tmp_path / "runs")
    figures = figures_of(found)
    kept = [e for e in found if e.table not in found.findings[0].details and e.value is not None]
    assert len(figures) == sum(1 + (e.low is not None) + (e.high is not None) for e in kept)
    assert figures["gh22/polarity/negated/repetition"] == 100.0
    assert figures["gh22/polarity/negated/repetition_low"] < 100.0
    assert "gh22/delta/rank_50_positive-negated/difference" in figures
    assert not any(name.startswith("gh22/templates/") for name in figures)
    # MLflow has a folder for each part but the last, so that none may be a figure and a folder.
    folders = {name.rsplit("/", depth)[0] for name in figures for depth in (1, 2, 3)}
    assert not folders & set(figures)


def test_what_may_be_a_password_is_left_out() -> None:
    given = {
        "model": "https://me:hidden@host:8000/v1?signature=hidden",
        "seed": 0,
        "adapters": {
            "server": {"api_key": "hidden", "url": "http://hidden@host/", "token": "hidden"}
        },
        "suites": ["s3://hidden@bucket/key"],
    }
    assert without_secrets(given) == {
        "model": "https://host:8000/v1",
        "seed": 0,
        "adapters": {"server": {"url": "http://host/"}},
        "suites": ["s3://bucket/key"],
    }


@pytest.mark.parametrize("name", ["wandb", "mlflow"])
def test_a_missing_library_is_told_before_any_work(
    name: str, naysay: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("naysay.core.extras._is_installed", lambda module: module != name)
    refused(naysay(*RUN, "--log", name), f"--log {name} needs {name}", f"naysay[{name}]")
    assert not (tmp_path / "runs").exists()


def test_an_unknown_logger_is_told_before_any_work(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    refused(naysay(*RUN, "--log", "mlfow"), "unknown logger 'mlfow'", "did you mean mlflow?")
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_mlflow_holds_the_run(naysay: Callable[..., Outcome], tmp_path: Path) -> None:
    needed("mlflow")
    ended = naysay(*RUN, "--log", "mlflow", "--json")
    assert ended.code == 0, ended.err
    printed = json.loads(ended.out)  # and nothing of MLflow's

    client = importlib.import_module("mlflow").MlflowClient()
    experiment = client.get_experiment_by_name("naysay")
    [run] = client.search_runs([experiment.experiment_id])
    found = judge(printed["folder"])
    assert run.data.metrics == pytest.approx(figures_of(found))
    assert run.data.tags["naysay.run"] == printed["run"]
    assert run.data.tags["scnt/outcome"] == printed["verdicts"]["scnt"]["outcome"] == "fails"
    assert run.data.params["options.scnt.one_piece"] == "context"
    assert run.data.params["limit"] == "6"
    assert run.info.status == "FINISHED"
    assert {file.path for file in client.list_artifacts(run.info.run_id)} == set(FILES)
    local = Path(client.download_artifacts(run.info.run_id, "estimates.json", str(tmp_path)))
    assert json.loads(local.read_text(encoding="utf-8"))["run"] == printed["run"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value"),
    [("MLFLOW_TRACKING_URI", "ftp://nowhere/at/all"), ("MLFLOW_EXPERIMENT_ID", "12345")],
)
def test_a_store_that_cannot_be_opened_is_told_before_any_work(
    variable: str,
    value: str,
    naysay: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    needed("mlflow")
    monkeypatch.setenv(variable, value)
    refused(naysay(*RUN, "--log", "mlflow"), "--log mlflow cannot be used", value.split(":")[0])
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
@pytest.mark.parametrize("others", [(), ("-m", "known:aware")])
def test_a_refusal_says_where_the_figures_are(
    others: tuple[str, ...], naysay: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    needed("mlflow")

    def full(*_: Any, **__: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("mlflow.MlflowClient.log_artifact", full)
    ended = naysay(*RUN, *others, "--log", "mlflow")
    assert ended.code == 2
    assert "known:blind" in ended.out  # the figures were printed all the same
    last = ended.err.strip().splitlines()[-1]
    said = "mlflow did not take the figures, which are in runs/known-"
    # Only what may have scrolled away is said again.
    assert last.startswith(f"naysay: {'not logged: known:blind: ' if others else ''}{said}")
    assert last.endswith("no space left")


@pytest.mark.slow
def test_wandb_holds_the_run(naysay: Callable[..., Outcome], tmp_path: Path) -> None:
    needed("wandb")
    ended = naysay(*RUN, "--log", "wandb", "--json")
    assert ended.code == 0, ended.err
    printed = json.loads(ended.out)
    found = judge(printed["folder"])
    [log] = tmp_path.glob("wandb-files/wandb/offline-run-*/*.wandb")
    records = list(records_of(log))

    config = {
        item.key: json.loads(item.value_json)
        for record in records
        if record.HasField("run")
        for item in record.run.config.update
    }
    assert config["run"] == printed["run"]
    assert config["options"]["scnt"]["one_piece"] == "context"
    summary: dict[str, Any] = {}
    for record in records:
        changed = [*record.history.item, *record.summary.update]
        summary |= {item.key or item.nested_key[0]: json.loads(item.value_json) for item in changed}
    figures = figures_of(found)
    assert {name: summary[name] for name in figures} == pytest.approx(figures)
    assert summary["scnt/outcome"] == "fails"
    assert summary["scnt/verdict"] == printed["verdicts"]["scnt"]["verdict"]
    assert b"estimates.json" in log.read_bytes()
    assert b"a" * 40 not in log.read_bytes()  # the key
    assert not any(record.HasField("environment") for record in records)


def records_of(path: Path) -> Iterator[Any]:
    """The records of W&B's log, which is laid out as LevelDB's: pieces in blocks of 32 KiB."""
    records = importlib.import_module("wandb.proto.wandb_internal_pb2")
    data, place, whole = path.read_bytes(), 7, b""
    while place + 7 <= len(data):
        if (left := 32768 - place % 32768) < 7:
            place += left
            continue
        length, kind = struct.unpack_from("<HB", data, place + 4)
        whole += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # a whole record, or its last piece
            yield records.Record.FromString(whole)
            whole = b""
