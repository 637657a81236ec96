"""Resolving options against their declarations: a spec from flags, a spec file, or a manifest.

An option given by name applies to every chosen suite, or the adapter, that declares it; in a spec
file it may also be given for one of them. Undeclared options are refused, and so are options that
none of the chosen suites reads: they would have no effect, silently.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.errors import SpecError, near_names
from naysay.core.files import read_toml
from naysay.core.options import (
    JUDGED,
    Declaration,
    Options,
    declarations,
    flag,
    plain,
    refuse_unknown,
)
from naysay.core.spec import PLACEMENT, RunSpec
from naysay.models import ADAPTERS
from naysay.suites import SUITES

Tables = Mapping[str, Mapping[str, Any]]
"""Options by name of suite or adapter."""
Declared = tuple[Declaration, list[str]]
"""An option, and the suites or adapters that declare it."""


def declared_options() -> dict[str, Declared]:
    """Return all options of suites and adapters by name, in the order of declaration."""
    found: dict[str, Declared] = {}
    for name, options in _components([suite.name for suite in SUITES.all()], kinds()):
        for option, declared in declarations(options).items():
            found.setdefault(option, (declared, []))[1].append(name)
    return found


def kinds() -> list[str]:
    """Return the kinds of model whose adapters can be loaded."""
    return [adapter.kind for adapter in ADAPTERS.all()]


def spec_of(
    model: str, suites: Sequence[str], given: Mapping[str, Any], tables: Tables | None = None
) -> RunSpec:
    """Create a spec; refuse unknown options and options that nothing reads."""
    shared = {name: value for name, value in given.items() if name in declarations(RunSpec)}
    own = {name: value for name, value in given.items() if name not in shared}
    _check_read(own, suites)
    _check_tables(tables or {}, suites)
    of_suites = dict(_components(suites, ()))
    of_adapters = dict(_components((), kinds()))
    return RunSpec(
        model=model,
        suites=tuple(suites),
        **shared,
        options={n: _filled(kind, n, own, tables) for n, kind in of_suites.items()},
        adapters={
            n: filled
            for n, kind in of_adapters.items()
            if (filled := _filled(kind, n, own, tables)).given()
        },
    )


def _filled(
    kind: type[Options], name: str, own: Mapping[str, Any], tables: Tables | None
) -> Options:
    return kind.of({**own, **(tables or {}).get(name, {})})


def _components(
    suites: Sequence[str], adapters: Sequence[str]
) -> Iterator[tuple[str, type[Options]]]:
    for name in suites:
        yield name, SUITES.get(name).options_type
    for name in adapters:
        yield name, ADAPTERS.get(name).options_type


def _check_read(own: Mapping[str, Any], suites: Sequence[str]) -> None:
    known = declared_options()
    reachable = {*suites, *kinds()}
    for name, value in own.items():
        if name not in known:
            raise refuse_unknown(name, {*known, *declarations(RunSpec)})
        declared, readers = known[name]
        if not reachable & set(readers) and declared.checked(value) != declared.default:
            raise SpecError(
                f"{flag(name)} is read by {', '.join(readers)}, not by "
                f"{', '.join(suites)}: drop it, or choose one of these suites with -t"
            )


def _check_tables(tables: Tables, suites: Sequence[str]) -> None:
    components = dict(_components(suites, kinds()))
    for name, options in tables.items():
        if name not in components:
            near = near_names(name, components)
            hint = f" Did you mean [{near[0]}]?" if near else ""
            raise SpecError(f"[{name}] is neither one of the suites nor a kind of model.{hint}")
        for option in options:
            if option not in declarations(components[name]):
                near = near_names(option, declarations(components[name]))
                hint = f" Did you mean {near[0]}?" if near else ""
                raise SpecError(f"[{name}] has no option {option}.{hint}")


def judged_by(spec: RunSpec, **given: Any) -> RunSpec:
    """Return the spec with other judging options; the rows are not affected."""
    options = dict(spec.options)
    for name, value in given.items():
        readers = [
            suite
            for suite, own in options.items()
            if name in declarations(type(own)) and declarations(type(own))[name].role == JUDGED
        ]
        if not readers:
            raise SpecError(f"{flag(name)} is not a judging option of {', '.join(spec.suites)}")
        for suite in readers:
            options[suite] = replace(options[suite], **{name: value})
    return replace(spec, options=options)


def spec_from_dict(data: Mapping[str, Any]) -> RunSpec:
    """Restore a spec from a manifest; unknown fields are ignored.

    Manifests of version 0.1.0 have flat options.
    """
    nested = {"options", "adapters"} <= set(data)
    shared = {name: data[name] for name in declarations(RunSpec) if name in data}
    suites = tuple(data["suites"])
    of_suites = dict(_components(suites, ()))
    of_adapters = dict(_components((), kinds()))
    return RunSpec(
        model=data["model"],
        suites=suites,
        **shared,
        options={
            name: kind.of(data["options"].get(name, {}) if nested else data)
            for name, kind in of_suites.items()
        },
        adapters={
            name: options
            for name, kind in of_adapters.items()
            if (options := kind.of(data["adapters"].get(name, {}) if nested else data)).given()
        },
    )


def read_spec_file(path: Path) -> dict[str, Any]:
    """Read the models, the suites, the seeds, shared options and tables of a spec file."""
    try:
        data = read_toml(path)
    except FileNotFoundError as error:
        name = str(path)
        suite = f"-t {name}" if name in SUITES.names() else None
        raise SpecError(
            f"there is no spec file {name}; "
            + (f"for the suite, type {suite}" if suite else f"for a model, type -m {name}")
            + (". Several suites have commas between them" if suite else "")
        ) from error
    except (OSError, ValueError) as error:
        raise SpecError(f"{path} cannot be read as a spec file: {error}") from error
    known = {"model", "suites", *declarations(RunSpec), *declared_options()}
    tables = {name: value for name, value in data.items() if isinstance(value, dict)}
    given = {name: value for name, value in data.items() if name not in tables}
    for name, declared in declarations(RunSpec).items():
        if declared.spelled in given:  # as on the command line
            if name in given:
                raise SpecError(f"{path}: {declared.spelled} and {name} are the same; give one")
            given[name] = given.pop(declared.spelled)
    for name in given:
        if name not in known:
            near = near_names(name, known)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise SpecError(f"{path}: unknown option {name}{hint}")
    return {
        "models": _names(path, "model", given.pop("model", None)),
        "suites": _names(path, "suites", given.pop("suites", None)),
        "seeds": _seeds(given),
        "given": given,
        "tables": tables,
    }


def _seeds(given: dict[str, Any]) -> list[int] | None:
    """A list of seeds, which is taken out of the options; None if there is one seed or none."""
    if not isinstance(given.get("seed"), list):
        return None
    found = declarations(RunSpec)["seed"].checked
    return list(dict.fromkeys(map(found, given.pop("seed") or [None])))


def _names(path: Path, what: str, found: Any) -> list[str] | None:
    """One name or a list of them, as a list; None if the file has neither."""
    names = [found] if isinstance(found, str) else found
    if names is None or (isinstance(names, list) and all(isinstance(n, str) for n in names)):
        return names
    raise SpecError(f"{path}: {what} must be a name or a list of names, not {found!r}")


def spec_file(spec: RunSpec) -> str:
    """Write the options that differ from the defaults as a spec file for `naysay run`."""
    lines = [f"# naysay {VERSION}: repeat this run with `naysay run FILE`", ""]
    shared = {"model": spec.model, "suites": list(spec.suites), **spec.shared()}
    for place in ("out", *PLACEMENT):  # where it was made is not part of the run
        shared.pop(place, None)
    lines += [f"{name} = {_toml(value)}" for name, value in shared.items()]
    for name, options in {**spec.options, **spec.adapters}.items():
        if given := options.given():
            lines += ["", f"[{name}]"]
            lines += [f"{option} = {_toml(value)}" for option, value in given.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Format a plain value; strings, numbers, lists and booleans are the same in TOML and JSON."""
    return json.dumps(plain(value), ensure_ascii=False)
