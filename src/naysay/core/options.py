"""Options, declared once: a typed dataclass with a help text for each field.

A run, each suite and each adapter declare theirs. The command line, Python's `evaluate`, the spec
file and the manifest are views of these declarations:

    @dataclass(frozen=True, kw_only=True)
    class MyOptions(Options):
        rounds: int = option(3, "How often each question is asked.", least=1)

An option is part of the run's key unless its role says otherwise: a `SOURCE` enters by the content
of the file it names; options that only affect how rows are `JUDGED` do not enter at all.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

from naysay.core.errors import SpecError, near_names

KEY, SOURCE, JUDGED, PLACE = "key", "source", "judged", "place"
"""What an option affects: the rows, the items by their content, the judging, or only where and how
the run is executed."""
ALL = "all"
LARGEST = 2**31 - 1
"""The largest whole number of an option: rows have 32 bits for it."""


@dataclass(frozen=True)
class Declaration:
    """One option: its name, type, default and permitted values."""

    name: str
    kind: type
    """bool, int, float, str or Path; the type of each element if `several`."""
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    role: str = KEY
    several: bool = False
    all: bool = False
    """Whether the word `all` is allowed instead of a number."""
    optional: bool = False
    """Whether None is allowed."""
    spelled: str | None = None
    """Its name on the command line, if that is another one."""

    @property
    def flag(self) -> str:
        """The option as typed on the command line."""
        return flag(self.spelled or self.name)

    def parse(self, text: str) -> Any:
        """Convert the text typed on the command line."""
        if self.several:
            return tuple(self._parse_one(part.strip()) for part in text.split(","))
        return self._parse_one(text)

    def _parse_one(self, text: str) -> Any:
        if self.all and text.strip().lower() == ALL:
            return ALL
        if self.kind in (int, float):
            try:
                return self.kind(text)
            except ValueError:
                raise self._error(text) from None
        return self.kind(text)

    def checked(self, value: Any) -> Any:
        """Return the value in its declared type; raise SpecError if it is not permitted."""
        if value is None:
            if self.optional:
                return None
            raise self._error(value)
        if not self.several:
            return self._checked_one(value)
        if isinstance(value, str | int):
            value = (value,)
        if not isinstance(value, Sequence):
            raise self._error(value)
        found = tuple(self._checked_one(each) for each in value)
        if not found or len(set(found)) != len(found):
            raise SpecError(
                f"{self.flag} needs at least one value and no duplicates, not {found!r}"
            )
        return found

    def _checked_one(self, value: Any) -> Any:
        if self.all and value == ALL:
            return value
        if self.kind is Path and isinstance(value, str | Path):
            return self._checked_path(Path(value))
        right = isinstance(value, self.kind) and isinstance(value, bool) == (self.kind is bool)
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if not right or (self.least is not None and value < self.least):
            raise self._error(value)
        if self.kind is int and value > LARGEST:
            raise SpecError(f"{self.flag} must be at most {LARGEST:,}, not {value:,}")
        if self.choices and value not in self.choices:
            raise self._error(value)
        return value

    def _checked_path(self, path: Path) -> Path:
        """A path that can be recorded: some file systems allow bytes that are no text."""
        try:
            str(path).encode()
        except UnicodeEncodeError:
            raise SpecError(
                f"{self.flag}: the path {str(path)!r} is not valid UTF-8; choose another name"
            ) from None
        return path

    def _error(self, value: Any) -> SpecError:
        if self.choices:
            wanted = f"of {', '.join(self.choices)}" if self.several else " or ".join(self.choices)
        elif self.kind is int:
            wanted = "whole numbers" if self.several else "a whole number"
            wanted += f" from {self.least} on" if self.least is not None else ""
            wanted += " or all" if self.all else ""
        else:
            names = {str: "text", bool: "true or false", float: "a number", Path: "a path"}
            wanted = names.get(self.kind, self.kind.__name__)
        return SpecError(f"{self.flag} must be {wanted}, not {value!r}")


def option(
    default: Any,
    help: str,
    *,
    choices: Sequence[str] = (),
    least: int | None = None,
    role: str = KEY,
    spelled: str | None = None,
) -> Any:
    """Declare a field of an `Options` class; its type is the field's annotation."""
    about = {"help": help, "choices": tuple(choices), "least": least, "role": role}
    return field(default=default, metadata={"option": {**about, "spelled": spelled}})


@dataclass(frozen=True, kw_only=True)
class Options:
    """A set of options, validated on creation; fields without `option(...)` are not options."""

    def __post_init__(self) -> None:
        for name, declared in declarations(type(self)).items():
            object.__setattr__(self, name, declared.checked(getattr(self, name)))

    def identity(self) -> dict[str, Any]:
        """Return the options that affect the rows, as they enter the run's key."""
        found = declarations(type(self)).values()
        return {each.name: getattr(self, each.name) for each in found if each.role == KEY}

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        found = declarations(type(self)).values()
        values = {each.name: getattr(self, each.name) for each in found}
        return {each.name: values[each.name] for each in found if values[each.name] != each.default}

    def as_dict(self) -> dict[str, Any]:
        """Return all options as plain values, ready for JSON and TOML."""
        return {name: plain(getattr(self, name)) for name in declarations(type(self))}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Create options from these values; undeclared names are ignored."""
        known = declarations(cls)
        return cls(**{name: value for name, value in values.items() if name in known})


_DECLARED: dict[type, dict[str, Declaration]] = {}


def declarations(options: type) -> dict[str, Declaration]:
    """Return the declared options of a class by name, in order."""
    if options not in _DECLARED:
        _DECLARED[options] = dict(_declared(options))
    return _DECLARED[options]


def _declared(options: type) -> Iterator[tuple[str, Declaration]]:
    hints = get_type_hints(options)
    for each in dataclasses.fields(options):
        if "option" in each.metadata:
            form, about = _form(hints[each.name]), each.metadata["option"]
            yield each.name, Declaration(each.name, default=each.default, **form, **about)


def _form(hint: Any) -> dict[str, Any]:
    """Derive type, multiplicity and optionality from a field's annotation.

    >>> _form(tuple[int, ...] | None)
    {'kind': <class 'int'>, 'several': True, 'all': False, 'optional': True}
    """
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    optional = type(None) in parts
    rest = [part for part in parts if part is not type(None)]
    # The only union that options use is a number or the word "all".
    several = get_origin(rest[0]) is tuple
    kind = get_args(rest[0])[0] if several else rest[0]
    return {"kind": kind, "several": several, "all": len(rest) > 1, "optional": optional}


def refuse_unknown(name: str, known: Collection[str]) -> SpecError:
    """Return the error for an undeclared option."""
    near = near_names(name, known)
    hint = f"; did you mean {' or '.join(map(flag, near))}?" if near else ""
    return SpecError(f"unknown option {flag(name)}{hint}")


def plain(value: Any) -> Any:
    """Convert a value for JSON and TOML."""
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def flag(name: str) -> str:
    """Return the option as typed on the command line.

    >>> flag("data_dir")
    '--data-dir'
    """
    return "--" + name.replace("_", "-")
