"""`naysay train embedder` from groups to the model card, with tiny models and real processes."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import naysay as api
from conftest import Outcome, write
from naysay.core.extras import missing_modules
from naysay.core.keys import file_digest
from naysay.data.items import Group

pytestmark = pytest.mark.slow  # many small trainings

Naysay = Callable[..., Outcome]


def frames(place: Path, pairs: int = 48) -> Path:
    """Frames of made-up opposites, which no test has, in many contexts."""
    nouns = ("lamp", "coat", "barn", "kettle", "ladder", "pond", "scarf", "drum")
    contexts = [f"The {noun} {{is}} {{word}}." for noun in nouns]
    tables = [
        f"[[adjective]]\nwords = {json.dumps(list(pair))}\ncontexts = {json.dumps(contexts)}\n"
        'negators = ["not", "never"]\n'
        for pair in islice(made_up(), pairs)
    ]
    return write(place, "\n".join(tables))


def made_up() -> Iterator[tuple[str, str]]:
    for start in "bdfgklmnprst":
        for vowel in "aeou":
            yield f"{start}{vowel}mbor", f"{start}{vowel}lvik"


def general(place: Path) -> Path:
    lines = [f"a {thing} of {k} {sort} parts" for k in range(40) for thing in ("box", "row", "pile")
             for sort in ("steel", "glass")]  # fmt: skip
    return write(place, "\n".join(lines))


def random_embedder(folder: Path, groups: Sequence[Group]) -> Any:
    """A random embedder that has all words of the groups in its vocabulary."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    from naysay.models.lm.loading import quiet
    from naysay.train.from_scratch import Size, bert, with_letters, wordpiece

    texts = " ".join(sentence for group in groups for sentence in group.sentences)
    tokenizer = wordpiece(with_letters(set(re.findall(r"\w+|\S", texts))))
    size = Size(width=64, layers=1, positions=64, deviation=0.3)
    with quiet():
        bert(tokenizer, size, seed=0).bert.save_pretrained(folder / "bert")
        tokenizer.save_pretrained(folder / "bert")
        modules = [Transformer(str(folder / "bert")), Pooling(64, "mean")]
        return SentenceTransformer(modules=modules, device="cpu")


@pytest.fixture(scope="module")
def worded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random embedder in a folder."""
    from naysay.data.frames import frame_groups

    folder = tmp_path_factory.mktemp("worded")
    groups = frame_groups(frames(folder / "frames.toml"))
    random_embedder(folder, groups).save(str(folder / "model"))
    return folder / "model"


def asked(model: Path, out: Path, place: Path, *more: str | int) -> list[str | Path | int]:
    given: list[str | Path | int] = ["train", "embedder", "-m", model, "-o", out, "--device", "cpu"]
    given += [
        "--frames",
        frames(place / "frames.toml"),
        "--general",
        general(place / "general.txt"),
    ]
    return [*given, "--batch", 8, "--general-batch", 8, "--save-every", 2, "--eval-every", 3, *more]


def test_an_embedder_is_taught_tested_and_loads_in_one_line(
    naysay: Naysay, worded: Path, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    out = tmp_path / "taught"
    words = asked(worded, out, tmp_path, "--steps", 6)
    ended = naysay(*words)
    assert ended.code == 0, ended.err
    for said in ("unseen words", "unseen negators", "cosine to the negation", "top 10 kept"):
        assert said in ended.out, said
    assert "Left out for the tests: 0 groups" in ended.err
    # What is not here is neither checked nor tested, and that is told.
    assert "neither checked for leaks nor tested: semantoneg, stsbenchmark" in ended.err
    assert "naysay data get semantoneg" in " ".join(ended.out.split())
    # A random model learns nothing in six steps, and the report does not pretend otherwise.
    assert "It gained nothing" in ended.out
    record = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert record["fit"]["result"]["steps"] == 6
    assert record["material"]["left_out"] == {} and record["figures"]
    report = (out / "report.md").read_text(encoding="utf-8")
    for said in ("## Gained and lost", "## Choice of the step", "## Leakage", "(kept)"):
        assert said in report, said
    assert "<svg" in (out / "report.html").read_text(encoding="utf-8") or missing_modules("report")
    card = (out / "README.md").read_text(encoding="utf-8")
    for said in ("library_name: sentence-transformers", "naysay train embedder", "## Licence",
                 "not stated in its files", "## Limits"):  # fmt: skip
        assert said in card, said
    model = SentenceTransformer(str(out), device="cpu")
    assert model.encode(["It is so."]).shape == (1, 64)
    assert file_digest(out / "model.safetensors") != file_digest(worded / "model.safetensors")
    assert not (out / "checkpoints").exists()

    again = naysay(*words, "--json")
    assert again.code == 0 and "already trained" in again.err and "loading" not in again.err
    told = json.loads(again.out)
    assert told["training"] == record["fit"]["result"]
    assert told["changes"] == record["figures"] and len(told["curve"]) == 2
    run = naysay("run", "-m", out, "-t", "semantoneg", "--limit", 3, "-o", tmp_path / "runs")
    assert run.code == 0, run.err
    other = naysay(*words, "--keep", 7)
    assert other.code == 2 and "keep: found 20.0, requested 7.0" in other.err


CHILD = """
import os, signal, sys
import torch
real = torch.save
def save(value, place, *more, **named):
    real(value, place, *more, **named)
    if "checkpoint-4" in str(place):
        os.kill(os.getpid(), signal.SIGKILL)
torch.save = save
from naysay.cli import main
sys.argv = ["naysay", *{words!r}]
main()
"""


def test_a_killed_training_ends_with_the_same_weights(
    naysay: Naysay, worded: Path, tmp_path: Path
) -> None:
    words = asked(worded, tmp_path / "killed", tmp_path, "--steps", 6)
    code = CHILD.format(words=[str(word) for word in words])
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    went_on = naysay(*words)
    assert went_on.code == 0 and "resuming from step 3 of 6" in went_on.err, went_on.err
    whole = naysay(*asked(worded, tmp_path / "whole", tmp_path, "--steps", 6))
    assert whole.code == 0, whole.err
    other = naysay(*asked(worded, tmp_path / "other", tmp_path, "--steps", 6, "--seed", 1))
    assert other.code == 0, other.err
    weights = {
        name: file_digest(tmp_path / name / "model.safetensors")
        for name in ("killed", "whole", "other")
    }
    assert weights["killed"] == weights["whole"] != weights["other"]
    records = [
        json.loads((tmp_path / name / "training.json").read_text()) for name in ("killed", "whole")
    ]
    assert records[0]["figures"] == records[1]["figures"]
    assert records[0]["fit"]["result"]["history"] == records[1]["fit"]["result"]["history"]


@pytest.mark.parametrize("shuffled", [False, True])
def test_what_is_learnt_is_not_learnt_with_shuffled_polarity(
    tmp_path: Path, *, shuffled: bool
) -> None:
    import torch

    from naysay.data.frames import frame_groups
    from naysay.train.embedder.figures import encoded, share_right
    from naysay.train.embedder.objective import GroupCollator, Objective
    from naysay.train.plan import TrainingItem

    groups = frame_groups(frames(tmp_path / "few.toml", pairs=3))
    embedder: Any = random_embedder(tmp_path, groups)
    steps, rate, rng = 150, 5e-3, random.Random(0)
    objective = Objective(embedder, temperature=0.05, keep=0.0)
    collate = GroupCollator(embedder, [], ["a b"] * 20, ["a b"] * 20, 2, 0, 8 * steps, shuffled)
    optimizer = torch.optim.AdamW(objective.parameters(), lr=rate)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        chosen = rng.sample(range(len(groups)), 8)
        items = [TrainingItem(list(groups[k].sentences), k, step) for k in chosen]
        optimizer.zero_grad()
        objective(**collate(items))["loss"].backward()
        torch.nn.utils.clip_grad_norm_(objective.parameters(), 1.0)
        optimizer.step()
    right = share_right(encoded(embedder, [s for g in groups for s in g.sentences]), groups)
    assert right < 0.1 if shuffled else right > 0.9, right


def test_a_plain_encoder_needs_a_pooling_and_is_taught_with_one(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path
) -> None:
    words = asked(tiny_bert, tmp_path / "out", tmp_path, "--steps", 2)
    refused = naysay(*words)
    assert refused.code == 2 and "--pooling mean" in refused.err
    ended = naysay(*words, "--pooling", "mean")
    assert ended.code == 0, ended.err
    assert "It gained nothing" in ended.out


def test_python_teaches_a_loaded_model_and_leaves_it_alone(
    worded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    monkeypatch.chdir(tmp_path)
    model: Any = SentenceTransformer(str(worded), device="cpu")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    result = api.teach(
        model, "taught", frames=frames(tmp_path / "frames.toml"), steps=2, batch=8, device="cpu",
        general=general(tmp_path / "general.txt"), general_batch=8,
    )  # fmt: skip
    assert result.folder == Path("taught") and result.trained.steps == 2
    assert (result.folder / "README.md").is_file() and result.changes
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    with pytest.raises(api.NaysayError, match="'stepps'; did you mean steps"):
        api.teach(model, stepps=3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"-m": "known:aware"}, "known:aware"),
        ({"--general": "nowhere.txt"}, "--general nowhere.txt: the file does not exist"),
        ({"--pairs": "frames.toml"}, "either --frames or --pairs"),
        ({"--temperature": "0"}, "--temperature must be a number above 0"),
        ({"--batch": "0"}, "--batch must be a whole number from 1 on"),
    ],
)
def test_what_cannot_be_done_is_told(
    naysay: Naysay, worded: Path, tmp_path: Path, change: dict[str, str], said: str
) -> None:
    given = {"-m": str(worded), "--frames": str(frames(tmp_path / "frames.toml")), **change}
    ended = naysay("train", "embedder", *(word for pair in given.items() for word in pair))
    assert ended.code == 2 and said in ended.err, ended.err


def test_a_model_is_never_written_over(naysay: Naysay, worded: Path, tmp_path: Path) -> None:
    before = file_digest(worded / "model.safetensors")
    ended = naysay(*asked(worded, worded, tmp_path))
    assert ended.code == 2 and "already holds a model" in ended.err
    assert file_digest(worded / "model.safetensors") == before


def test_help_names_the_defaults(naysay: Naysay) -> None:
    from naysay.train.embedder.settings import DEFAULT_PLAN, EmbedderSettings

    printed = " ".join(naysay("train", "embedder", "--help").out.split())
    plan, settings = DEFAULT_PLAN, EmbedderSettings(model="m")
    for option, value in {
        "steps": plan.steps, "batch": plan.batch, "lr": plan.lr, "save-every": plan.save_every,
        "eval-every": plan.eval_every, "patience": plan.patience, "keep": settings.keep,
        "general-batch": settings.general_batch, "temperature": settings.temperature,
        "strength": settings.strength,
    }.items():  # fmt: skip
        [told] = re.findall(rf"--{option} [NX] [^\[]*\[default: ([\d.]+)\]", printed)
        assert float(told) == value, option
