"""What a run has on disk when it dies at the worst moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from naysay import evaluate
from naysay.core.keys import file_digest
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.manifest import Manifest, read_manifest
from naysay.run.store import held


class Killed(BaseException):
    """The process ends here: nothing that handles errors may catch it."""


class Mortal(KnownModel):
    """Counts its questions, and dies at the first one after so many."""

    def __init__(self, life: int = 10**9) -> None:
        super().__init__("mortal", lambda text, words: len(text + words[0]) % 3 == 0, ["mortal"])
        self.asked, self.life = 0, life

    def ask(self, probes: Any) -> Any:
        if self.asked >= self.life:
            raise Killed
        self.asked += len(probes)
        return super().ask(probes)


WORDS = """
[names]
female = ["Mary", "Ann", "Jane"]
male = ["John", "Paul", "Tom"]
[professions]
any = ["a nurse", "a cook", "a pilot"]
[verbs]
words = ["run", "swim", "walk", "sing", "dance", "sleep", "read", "write", "cook", "talk", "work"]
"""


def few_words(folder: Path) -> str:
    """A lexicon of a few words, since all pairs of the usual one take long to draw."""
    file = folder / "words.toml"
    file.write_text(WORDS, encoding="utf-8")
    return str(file)


def start(out: Path, model: KnownModel) -> Evaluation:
    words = few_words(out.parent)
    return evaluate(model, "scnt", lexicon=words, limit=12, shard_size=3, cap=2, out=out)


def manifest_in(out: Path) -> Manifest:
    [folder] = out.iterdir()
    return read_manifest(folder)


def killed_at_rename(
    out: Path, monkeypatch: pytest.MonkeyPatch, shard: str, *, before: bool
) -> int:
    """Start a run that dies beside the rename of one shard; how much it asked."""
    plain, model = Path.replace, Mortal()

    def replace(self: Path, target: Path) -> Path:
        dies = Path(target).name == shard
        if dies and before:
            raise Killed
        found = plain(self, target)
        if dies:
            raise Killed
        return found

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "replace", replace)
        start(out, model)
    return model.asked


def test_a_shard_in_place_has_its_checksum_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_at_rename(tmp_path / "runs", monkeypatch, "00001.parquet", before=False)
    left = manifest_in(tmp_path / "runs")
    files = sorted(left.folder.glob("scnt/*.parquet"))
    assert [file.name for file in files] == ["00000.parquet", "00001.parquet"]
    for file in files:
        assert left.shards[f"scnt/{file.name}"]["sha256"] == file_digest(file)


def test_killed_right_after_the_rename_it_keeps_the_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = killed_at_rename(tmp_path / "killed", monkeypatch, "00001.parquet", before=False)
    again, whole = Mortal(), Mortal()
    run = start(tmp_path / "killed", again)
    assert run.manifest.complaints == []
    assert rows_of(run) == rows_of(start(tmp_path / "whole", whole))
    # The fit asks one question of its own; no question of a finished shard comes twice.
    assert first + again.asked == whole.asked + 1


def test_killed_right_before_the_rename_it_asks_the_shard_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_at_rename(tmp_path / "killed", monkeypatch, "00001.parquet", before=True)
    left = manifest_in(tmp_path / "killed")
    assert not left.is_whole("scnt/00001.parquet")
    run = start(tmp_path / "killed", Mortal())
    assert run.manifest.complaints == []  # nothing was cut or changed; it was not there
    assert rows_of(run) == rows_of(start(tmp_path / "whole", Mortal()))


def test_a_run_that_lost_a_shard_is_not_finished_until_it_is_asked_again(tmp_path: Path) -> None:
    done = start(tmp_path / "runs", Mortal())
    assert read_manifest(done.folder).finished is not None
    (done.folder / "scnt" / "00002.parquet").unlink()
    with pytest.raises(Killed):
        start(tmp_path / "runs", Mortal(life=1))  # one question for the fit, none for the shard
    assert read_manifest(done.folder).finished is None
    start(tmp_path / "runs", Mortal())
    mended = read_manifest(done.folder)
    assert mended.finished is not None and mended.finished >= mended.started
    assert mended.planned == {"scnt": 4}


def test_the_plan_is_on_record_before_the_first_question(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        start(tmp_path / "runs", Mortal(life=1))
    left = manifest_in(tmp_path / "runs")
    assert (left.planned, left.shards, left.finished) == ({"scnt": 4}, {}, None)


def test_what_a_killed_process_left_behind_is_removed(tmp_path: Path) -> None:
    done = start(tmp_path / "runs", Mortal())
    parts = [
        done.folder / "scnt" / ".00001.parquet.4194305.part",
        done.folder / ".manifest.json.4194305.part",
    ]
    kept = [done.folder / "scnt" / "mine.part", done.folder / "scnt" / ".mine"]
    for path in (*parts, *kept):
        path.write_bytes(b"half of it")
    start(tmp_path / "runs", Mortal())
    assert not any(path.exists() for path in parts)
    assert all(path.exists() for path in kept)


def test_a_part_goes_only_when_the_folder_is_held(tmp_path: Path) -> None:
    part = tmp_path / "run" / ".x.4194305.part"
    part.parent.mkdir()
    part.touch()
    with held(part.parent):
        assert not part.exists()
        part.touch()  # by this process, which is writing
    assert part.exists()
