"""Options are declared once; what is given is checked against the declaration."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from naysay.core.errors import SpecError
from naysay.core.options import JUDGED, SOURCE, Options, declarations, option
from naysay.core.spec import RunSpec
from naysay.models import ADAPTERS
from naysay.run.options import (
    declared_options,
    judged_by,
    read_spec_file,
    spec_file,
    spec_from_dict,
    spec_of,
)
from naysay.suites import SUITES


@dataclass(frozen=True, kw_only=True)
class Sample(Options):
    """Of every kind."""

    number: int = option(3, "A number.", least=1)
    words: tuple[str, ...] = option(("a",), "Words.", choices=("a", "b"))
    maybe: str | None = option(None, "A text or nothing.", role=SOURCE)
    rule: str = option("x", "A rule.", choices=("x", "y"), role=JUDGED)
    place: Path = option(Path("here"), "A path.")
    quick: bool = option(False, "A flag.")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("number", 0, "--number must be a whole number from 1 on, not 0"),
        ("number", True, "--number must be a whole number from 1 on, not True"),
        ("number", None, "--number must be a whole number from 1 on, not None"),
        ("words", (), "--words needs at least one value and no duplicates"),
        ("words", ("a", "a"), "--words needs at least one value and no duplicates"),
        ("words", "c", "--words must be of a, b, not 'c'"),
        ("rule", "z", "--rule must be x or y, not 'z'"),
        ("quick", 1, "--quick must be true or false, not 1"),
        ("maybe", 1, "--maybe must be text, not 1"),
    ],
)
def test_what_cannot_be_is_refused_by_name(name: str, value: Any, said: str) -> None:
    with pytest.raises(SpecError) as raised:
        Sample(**{name: value})
    assert said in str(raised.value)


def test_a_number_that_rows_have_no_room_for_is_refused() -> None:
    assert Sample(number=2**31 - 1).number == 2_147_483_647
    with pytest.raises(
        SpecError, match=r"--number must be at most 2,147,483,647, not 2,147,483,648"
    ):
        Sample(number=2**31)
    with pytest.raises(SpecError, match="--ranks must be at most"):
        spec_of("m", ["gh22"], {"ranks": (0, 2**31)})


def test_values_get_their_types_and_roles_decide_the_key() -> None:
    made = Sample(words=["b", "a"], place="there", maybe="m", rule="y")  # type: ignore[arg-type]
    assert (made.words, made.place) == (("b", "a"), Path("there"))
    assert made.identity() == {
        "number": 3, "words": ("b", "a"), "place": Path("there"), "quick": False,
    }  # fmt: skip
    assert set(made.given()) == {"words", "place", "maybe", "rule"}
    assert Sample(words="b").words == ("b",)  # type: ignore[arg-type]
    declared = declarations(Sample)
    assert declared["number"].parse("7") == 7 and declared["words"].parse("a, b") == ("a", "b")


def test_components_that_share_a_name_mean_the_same() -> None:
    for name, (declared, readers) in declared_options().items():
        assert declared.help and readers
        for reader in readers:
            own = SUITES.get(reader) if reader in SUITES.names() else ADAPTERS.get(reader)
            other = declarations(own.options_type)[name]
            assert (other.kind, other.several, other.role) == (
                declared.kind, declared.several, declared.role,
            )  # fmt: skip
        assert name not in declarations(RunSpec)


def test_a_name_reaches_every_chosen_suite_that_declares_it() -> None:
    spec = spec_of("m", ("scnt", "gh22"), {"readout": "likelihood", "cap": 5, "limit": 9})
    assert spec.value("readout", "scnt") == spec.value("readout", "gh22") == "likelihood"
    assert spec.value("cap") == 5 and spec.limit == 9
    with pytest.raises(SpecError, match=r"--cap is read by .*scnt.*, not by lama"):
        spec_of("m", ("lama",), {"cap": 5})
    with pytest.raises(SpecError, match=r"unknown option --capp; did you mean --cap"):
        spec_of("m", ("scnt",), {"capp": 5})


def test_a_spec_survives_its_file_and_its_manifest(tmp_path: Path) -> None:
    spec = spec_of(
        "known:blind",
        ("scnt", "gh22"),
        {"limit": "all", "seed": 3, "ranks": (0, 5), "readout": "likelihood", "pooling": "mean"},
        {"scnt": {"cap": 2}},
    )
    assert spec_from_dict(spec.as_dict()) == spec
    file = tmp_path / "spec.toml"
    file.write_text(spec_file(spec), encoding="utf-8")
    read = read_spec_file(file)
    [model] = read["models"]
    again = spec_of(model, read["suites"], read["given"], read["tables"])
    assert again == spec
    assert tomllib.loads(spec_file(spec))["gh22"]["ranks"] == [0, 5]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model = 3x", "cannot be read as a spec file"),
        ("model = ['x', 3]", "model must be a name or a list of names, not ['x', 3]"),
        ("suites = 3", "suites must be a name or a list of names, not 3"),
        ("modle = 'x'", "unknown option modle; did you mean model"),
        ("suites = ['scnt']\n[scnt]\ncapp = 1", "[scnt] has no option capp. Did you mean cap?"),
        ("suites = ['scnt']\n[gh22]\nranks = [0]", "[gh22] is neither one of the suites"),
    ],
)
def test_a_spec_file_that_is_wrong_is_told_by_name(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as raised:
        read = read_spec_file(file)
        spec_of("m", read["suites"], read["given"], read["tables"])
    assert said in str(raised.value)


def test_only_rules_of_judging_can_be_changed_afterwards() -> None:
    spec = spec_of("m", ("gh22",), {})
    assert judged_by(spec, repetition="prefix").value("repetition") == "prefix"
    with pytest.raises(SpecError, match="--ranks is not a judging option of gh22"):
        judged_by(spec, ranks=(0,))
