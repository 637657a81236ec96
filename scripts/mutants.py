"""Change the program in one place at a time, and list the changes that no test notices.

Usage: python scripts/mutants.py [--sample N] [--seed S] [--only PART] [--again]

A change is tried in a copy of `src` under `build/mutants`, with the tests that belong to the
changed module, and counts as noticed when one of them fails or does not end in time. What was
noticed once is remembered in `build/mutants/noticed.txt` and left out the next time, so a run that
was stopped goes on, and after a new test only what had survived is tried; `--again` forgets it.
A sample of N is part of the sample of N + 1.

Each change is tried in a fork of this process, which has the libraries loaded already. Changes that
cannot matter are listed with their reasons in `scripts/mutants.toml` and not counted.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import copy
import hashlib
import importlib
import multiprocessing
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "mutants"
NOTICED = PLACE / "noticed.txt"
GOAL = 85  # percent
LIMIT = 120  # seconds; an endless loop counts as noticed

SWAPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.FloorDiv: (ast.Mult,),
    ast.Pow: (ast.Mult,), ast.BitOr: (ast.BitAnd,), ast.BitAnd: (ast.BitOr,), ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}  # fmt: skip
LOADED = (
    "pytest", "hypothesis", "numpy", "pyarrow.compute", "pyarrow.parquet", "rich.console", "typer",
    "scipy.special", "scipy.stats",
)  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
# Messages, and conditions that only a type checker needs.
LEFT_ALONE = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Target:
    """A module, what of it is changed, and its tests, quickest first and none that takes long."""

    module: str
    tests: tuple[str, ...]
    names: tuple[str, ...] = ()
    """The functions that are changed; all, and the module's constants, if none is named."""

    @property
    def path(self) -> Path:
        """Where the module is below `src/naysay`."""
        return Path("src", "naysay", self.module)

    def files(self) -> list[str]:
        """The test files. They are found by name, in whatever folder of tests they are."""
        return [str(file) for name in self.tests for file in sorted(ROOT.glob(f"tests/**/{name}"))]


RUNS = ("test_run_records.py", "test_run_progress.py", "test_crash_order.py")
TARGETS = (
    Target("stats/clusters.py", ("test_few_clusters.py", "test_clusters.py")),
    Target("stats/intervals.py", ("test_intervals.py",)),
    Target("stats/shares.py", ("test_shares.py", "test_measures.py")),
    Target("stats/nested_shares.py", ("test_nested_shares.py",)),
    Target("stats/difference.py", ("test_few_clusters.py", "test_differences.py")),
    Target("stats/association.py", ("test_auc.py", "test_ranks.py")),
    Target("core/keys.py", ("test_key_rules.py", "test_keys.py")),
    Target("run/plan.py", ("test_run_key.py", "test_lexicon.py", "test_crash_order.py")),
    Target("run/manifest.py", RUNS),
    Target("run/store.py", (*RUNS, "test_labels.py")),
    Target("run/runner.py", RUNS),
    Target("suites/scnt/selection.py", ("test_selection_walk.py",)),
    Target("suites/scnt/suite.py", ("test_judging_rules.py",), ("judge",)),
    Target(
        "suites/_templates/suite.py",
        ("test_judging_rules.py",),
        ("judge", "begins_like", "is_word"),
    ),
    Target("suites/lama/source.py", ("test_lama_control.py",), ("_other", "_evenly")),
)


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    target: Target
    place: str
    line: str
    """The text of the line in which the change begins."""
    change: str
    source: str

    @property
    def key(self) -> str:
        """A name that depends on the changed text alone."""
        return hashlib.sha256(f"{self.target.module}\n{self.source}".encode()).hexdigest()[:20]

    def __str__(self) -> str:
        return f"{self.target.module}:{self.place}: {self.change}\n    in: {self.line}"


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one thing changed, for each thing that can be."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for kind in SWAPS.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [kind()], node.comparators)  # type: ignore[list-item]
    elif isinstance(node, ast.BinOp) and not isinstance(node.right, ast.JoinedStr):
        for kind in SWAPS.get(type(node.op), ()):
            yield ast.BinOp(node.left, kind(), node.right)  # type: ignore[arg-type]
    elif isinstance(node, ast.AugAssign):
        for kind in SWAPS.get(type(node.op), ()):
            yield ast.AugAssign(node.target, kind(), node.value)  # type: ignore[arg-type]
    elif isinstance(node, ast.BoolOp):
        for kind in SWAPS[type(node.op)]:
            yield ast.BoolOp(kind(), node.values)  # type: ignore[arg-type]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from map(ast.Constant, other_values(node.value))
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield ast.Name(NAMES[node.id])
    elif isinstance(node, ast.IfExp) and not turned(node.test):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.If) and not turned(node.test):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant | None):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Expr) or (
        # A name that is never bound is noticed by any test, so only parts of things are kept back.
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    ):
        yield ast.Pass()
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, [], node.is_async)


def turned(test: ast.expr) -> bool:
    """Whether a condition is turned around by a change of its own."""
    return isinstance(test, ast.Compare) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )


def other_values(value: object) -> list[bool | int | float | str]:
    """What a constant is changed to."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1]
    return [f"{value} changed"] if isinstance(value, str) else []


def places(node: ast.AST, within: str = "") -> Iterator[tuple[str, ast.AST, str, int | None]]:
    """Each node that may be changed: in which function, its parent, and its place there."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "ctx"):
            continue
        for number, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, LEFT_ALONE):
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue  # an assertion
            yield within, node, name, number if isinstance(value, list) else None
            if isinstance(child, ast.UnaryOp) and isinstance(child.operand, ast.Constant):
                continue  # a negative number is one constant
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                yield from places(child, f"{within}.{child.name}".lstrip("."))
            else:
                yield from places(child, within)


def mutants(target: Target) -> list[Mutant]:
    """All changes of a module."""
    text = (ROOT / target.path).read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    found: dict[str, Mutant] = {}
    for within, parent, name, number in list(places(tree)):
        if target.names and not set(within.split(".")) & set(target.names):
            continue
        held = getattr(parent, name)
        node = held if number is None else held[number]
        for variant in variants(node):
            _put(parent, name, number, variant)
            source = ast.unparse(tree)
            _put(parent, name, number, node)
            change = f"{_shown(node)} → {_shown(variant)}"
            number_of_line = getattr(node, "lineno", getattr(parent, "lineno", 0))
            line = lines[number_of_line - 1].strip()
            place = f"{within or 'module'}:{number_of_line}"
            mutant = Mutant(target, place, line, change, source)
            found.setdefault(source, mutant)
    return list(found.values())


def _put(parent: ast.AST, name: str, number: int | None, node: ast.AST) -> None:
    if number is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[number] = node


def _shown(node: ast.AST) -> str:
    head = copy.copy(node)
    if isinstance(head, ast.If):
        head.body, head.orelse = [ast.Pass()], []
    return " ".join(ast.unparse(head).split())


def outcome(target: Target, source: str) -> str:
    """Whether a change was `noticed` by a test, `survived`, or came to `no end`."""
    file = PLACE / target.path
    plain = file.read_text(encoding="utf-8")
    file.write_text(source, encoding="utf-8")
    process = multiprocessing.get_context("fork").Process(target=_test, args=(file, target.files()))
    process.start()
    process.join(LIMIT)
    endless = process.is_alive()
    if endless:
        process.kill()
        process.join()
    file.write_text(plain, encoding="utf-8")
    return "no end" if endless else "noticed" if process.exitcode else "survived"


def _test(file: Path, tests: list[str]) -> None:
    """Run the tests, the module's own doctests first, and end this process with their code."""
    import pytest

    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os.environ["PYTHONPATH"] = str(PLACE / "src")  # for processes that tests start
    sys.path.insert(0, str(PLACE / "src"))
    code = pytest.main(
        [
            "-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist",
            "-c", str(ROOT / "pyproject.toml"), "-m", "not slow",
            "-W", "ignore::pytest.PytestAssertRewriteWarning",
            str(file), *tests,
        ]
    )  # fmt: skip
    os._exit(int(code))


def make_ready() -> None:
    """Copy the program, and load what its tests load."""
    shutil.rmtree(PLACE / "src", ignore_errors=True)
    shutil.copytree(ROOT / "src", PLACE / "src", ignore=shutil.ignore_patterns("*.pyc"))
    compileall.compile_dir(PLACE / "src", quiet=1)
    sys.dont_write_bytecode = True  # a changed module must not be taken for the plain one
    # With CI, hypothesis tries the same examples each time, and remembers none.
    os.environ |= {"CI": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for library in LOADED:
        importlib.import_module(library)


def chosen(options: argparse.Namespace) -> list[Mutant]:
    """The changes to try, in an order that the seed fixes."""
    reasons = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    excused = {(entry["module"], entry["line"]): entry.get("changes") for entry in reasons["same"]}
    every = []
    for target in TARGETS:
        if options.only in target.module:
            for mutant in mutants(target):
                changes = excused.get((target.module, mutant.line), [])
                if changes is not None and mutant.change not in changes:
                    every.append(mutant)
    every.sort(key=lambda mutant: hashlib.sha256(f"{options.seed} {mutant.key}".encode()).digest())
    return every[: options.sample]


def main(arguments: Sequence[str]) -> int:
    """Try the changes and list what survives; 1 if too much does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, help="how many changes to try; all if not given")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--only", default="", help="only modules whose path holds this")
    parser.add_argument("--again", action="store_true", help="also what was noticed before")
    options = parser.parse_args(arguments)
    PLACE.mkdir(parents=True, exist_ok=True)
    if options.again:
        NOTICED.unlink(missing_ok=True)
    known = set(NOTICED.read_text().split()) if NOTICED.exists() else set()
    make_ready()
    sample = chosen(options)
    for target in {mutant.target: None for mutant in sample}:
        plain = (ROOT / target.path).read_text(encoding="utf-8")
        if outcome(target, ast.unparse(ast.parse(plain))) != "survived":
            sys.exit(f"the tests of {target.module} fail without a change, or are not found")
    new = [mutant for mutant in sample if mutant.key not in known]
    print(f"{len(sample)} changes, {len(sample) - len(new)} of them noticed before", flush=True)
    survivors = 0
    with NOTICED.open("a") as record:
        for mutant in new:
            found = outcome(mutant.target, mutant.source)
            if found != "noticed":
                print(f"{found}  {mutant}", flush=True)
            if found == "survived":
                survivors += 1
            else:
                print(mutant.key, file=record, flush=True)
    share = 100 * (1 - survivors / max(len(sample), 1))
    print(f"{len(sample) - survivors} of {len(sample)} changes are noticed ({share:.1f} %)")
    return int(share < GOAL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
