"""Within a command, a file is read, hashed and parsed once, and units are drawn once."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from naysay import compare, evaluate, judge
from naysay.data import languages
from naysay.data.languages import LANGUAGES
from naysay.suites import SUITES


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file was opened for reading, through pathlib or by its number."""
    counts: Counter[str] = Counter()
    plain, by_number = Path.open, os.open

    def watched(self: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        if "r" in mode and "+" not in mode:
            counts[str(self)] += 1
        return plain(self, mode, *more, **named)

    def watched_number(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_ACCMODE == os.O_RDONLY:
            counts[str(path)] += 1
        return by_number(path, flags, *more, **named)

    monkeypatch.setattr(Path, "open", watched)
    monkeypatch.setattr(os, "open", watched_number)
    return counts


@pytest.fixture
def forgotten() -> None:
    """As in a new process: no language has been read yet."""
    LANGUAGES.forget()
    languages._parsed.cache_clear()


def shards(counts: Counter[str]) -> dict[str, int]:
    return {path: count for path, count in counts.items() if path.endswith(".parquet")}


@pytest.mark.usefixtures("forgotten")
def test_a_fresh_run_parses_words_and_patterns_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parsed: Counter[str] = Counter()
    for name in ("load", "loads"):
        plain: Callable[..., Any] = getattr(tomllib, name)

        def watched(source: Any, plain: Callable[..., Any] = plain, **options: Any) -> Any:
            text = source if isinstance(source, str) else getattr(source, "name", "")
            parsed[str(text)] += 1
            return plain(source, **options)

        monkeypatch.setattr(tomllib, name, watched)
    evaluate("known:aware", ["scnt", "gh22", "scnt_table2"], limit=3, ranks=(0,), out=tmp_path)
    words = Path(languages.__file__).parent / "en" / "lexicon" / "verbs.toml"
    assert parsed[words.read_text("utf-8")] == 1
    assert max(parsed.values()) == 1, parsed.most_common(3)


def test_units_are_drawn_once_and_sources_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drawn: Counter[str] = Counter()
    for name in ("scnt", "lama"):
        suite = SUITES.get(name)
        plain = suite.units

        def watched(setting: Any, plain: Any = plain, name: str = name) -> Any:
            drawn[name] += 1
            return plain(setting)

        monkeypatch.setattr(suite, "units", watched, raising=False)
    evaluate("known:aware", ["scnt", "lama"], limit=4, out=tmp_path)
    assert drawn == {"scnt": 1, "lama": 1}


def test_shards_are_hashed_and_read_once(
    monkeypatch: pytest.MonkeyPatch, opened: Counter[str], tmp_path: Path
) -> None:
    hashed: Counter[int] = Counter()
    plain = hashlib.file_digest

    def watched(stream: Any, *more: Any) -> Any:
        hashed[stream.name] += 1
        return plain(stream, *more)

    monkeypatch.setattr(hashlib, "file_digest", watched)
    options: dict[str, Any] = {"limit": 4, "shard_size": 2, "out": tmp_path}
    run = evaluate("known:random", "scnt", **options)
    written = [count for path, count in hashed.items() if "parquet" in str(path)]
    assert written == []  # their bytes were hashed before they were written
    opened.clear()
    hashed.clear()
    judge(run)
    assert set(shards(opened).values()) == {1} and not hashed
    opened.clear()
    compare([run, run])
    assert max(shards(opened).values()) <= 2  # once for each of the two runs
