"""What other tools call the same commands and options, so that an error can name ours."""

from __future__ import annotations

from collections.abc import Collection

from naysay.core.errors import near_names

_OPTIONS = {
    "--suites": (
        "--task", "--tasks", "--suite", "--test", "--tests", "--benchmark", "--benchmarks",
    ),
    "--suite": ("--task", "--tasks", "--suites", "--test"),
    "--model": ("--models", "--model-name", "--model-path", "--model-args", "--pretrained"),
    "--limit": (
        "--samples", "--num-samples", "--n-samples", "--max-samples", "--examples",
        "--num-examples", "--max-examples", "--units", "--n",
    ),
    "--runs": (
        "--output-dir", "--output-path", "--output-folder", "--out-dir", "--log-dir", "--logs",
        "--results", "--results-dir", "--results-folder", "--run-dir", "--dir", "--folder",
    ),
    "--output": ("--output-file", "--output-path", "--file", "--save", "--page"),
    "--batch-size": ("--batch", "--bs", "--max-batch-size", "--max-batch", "--batchsize"),
    "--precision": ("--dtype", "--torch-dtype", "--quantization"),
    "--precision fp16": ("--half", "--fp16", "--float16"),
    "--precision bf16": ("--bf16", "--bfloat16"),
    "--device": ("--gpus", "--gpu-id", "--accelerator"),
    "--device cuda": ("--cuda", "--gpu"),
    "--device cpu": ("--cpu", "--no-cuda"),
    "--language": ("--lang", "--langs", "--languages"),
    "--revision": ("--model-revision", "--commit", "--branch", "--tag"),
    "--seed": ("--random-seed", "--sample-seed"),
    "--json": ("--format", "--output-format"),
    "--data-dir": ("--data", "--dataset-dir", "--data-path"),
}  # fmt: skip
"""Our options, and the words of others for them."""
_COMMANDS = {
    "run": ("eval", "evaluate", "test", "simple-evaluate", "score"),
    "ls": ("list", "tasks", "list-tasks", "suites", "runs", "available-tasks"),
    "open": ("view", "viewer", "serve", "browse"),
    "show": ("view", "inspect", "print", "items", "examples", "log"),
    "ask": ("prompt", "probe", "fill", "try"),
    "report": ("html", "summarize", "summary", "tables", "export"),
    "published": ("leaderboard", "papers", "paper", "baselines"),
    "compare": ("diff", "versus", "vs"),
    "gate": ("check", "ci", "assert"),
    "judge": ("rejudge", "rescore", "measure", "score"),
    "doctor": ("info", "env", "debug", "status"),
    "models": ("download", "get", "pull"),
    "data": ("datasets", "dataset"),
    "bench": ("benchmark", "speed", "perf", "time", "profile"),
    "train": ("finetune", "fine-tune", "fit"),
    "build": ("make", "create", "generate"),
}  # fmt: skip


def likely_options(asked: str, known: Collection[str]) -> list[str]:
    """Return the options of a command that may be meant: by what others call them, or similar.

    >>> likely_options("--tasks", ["--suites", "--seed"]), likely_options("--sed", ["--seed"])
    (['--suites'], ['--seed'])
    """
    meant = [
        ours
        for ours, theirs in _OPTIONS.items()
        if asked.lower() in theirs and ours.partition(" ")[0] in known
    ]
    return meant[:2] or near_names(asked, [name for name in known if name[:2] == "--"], 0.7)


def likely_command(asked: str, known: Collection[str]) -> str | None:
    """Return the command that may be meant.

    >>> likely_command("eval", ["run", "ls"]), likely_command("rum", ["run", "ls"])
    ('run', 'run')
    """
    similar = near_names(asked, known, 0.6)
    meant = [
        ours for ours, theirs in _COMMANDS.items() if asked.lower() in theirs and ours in known
    ]
    return next(iter([*meant, *similar]), None)
