"""Registries of suites, languages and adapters, filled by discovery.

Nothing is listed by hand: on first use a registry scans its package and the entry points of
installed packages. Names are known without importing anything; an entry is loaded on demand. A
broken entry, or two of one name, stop only what asks for them by name; the error names the package.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

from naysay.core.console import notify
from naysay.core.errors import BrokenPluginError, UnknownNameError

_OWN = "naysay itself"
T = TypeVar("T")
Loader = Callable[[], T]


class Registry(Generic[T]):
    """A mapping from names to entries, loaded on demand."""

    def __init__(
        self,
        what: str,
        group: str,
        discover: Callable[[], Mapping[str, Loader[T]]],
        from_entry_point: Callable[[EntryPoint], T] | None = None,
        needs: Callable[[], Iterable[str]] = tuple,
        order: Callable[[str], int] = lambda name: 0,
    ) -> None:
        """`needs` names the attributes that every entry must have.

        `order` gives the place of a name; names of the same place are sorted.
        """
        self.what = what
        self._needs = needs
        self._order = order
        self.group = group
        self._discover = discover
        self._from_entry_point = from_entry_point
        self._loaded: dict[str, T] = {}
        self.broken: dict[str, BrokenPluginError] = {}
        """Entries that were found to be broken, by name."""

    @cached_property
    def _loaders(self) -> dict[str, tuple[str, Loader[T]]]:
        found = {name: (_OWN, loader) for name, loader in self._discover().items()}
        for point in entry_points(group=self.group):
            package = f"{point.dist.name} {point.dist.version}" if point.dist else "a package"
            origin = f"{point.value} of {package}"
            if point.name in found:
                twice = BrokenPluginError(
                    f"two {self.what}s are called {point.name!r}: one in {found[point.name][0]}, "
                    f"one in {origin}. Uninstall one of them."
                )
                found[point.name] = (origin, partial(_refuse, twice))
            else:
                found[point.name] = (origin, self._entry_loader(point))
        return found

    def _entry_loader(self, point: EntryPoint) -> Loader[T]:
        make = self._from_entry_point
        return lambda: make(point) if make else point.load()

    def names(self) -> list[str]:
        """Return all names in their order."""
        return sorted(self._loaders, key=lambda name: (self._order(name), name))

    def get(self, name: str) -> T:
        """Return the entry called `name`."""
        if name not in self._loaded:
            if name not in self._loaders:
                raise UnknownNameError(self.what, name, self._loaders)
            origin, load = self._loaders[name]
            try:
                entry = load()
                if missing := [need for need in self._needs() if not hasattr(entry, need)]:
                    raise TypeError(f"it has no {', '.join(missing)}")
                self._loaded[name] = entry
            except BrokenPluginError as error:
                self.broken[name] = error
                raise
            except (Exception, SystemExit) as error:  # nor may a plug-in end the program
                self.broken[name] = BrokenPluginError(
                    f"{self.what} {name!r} from {origin} cannot be loaded: "
                    f"{type(error).__name__}: {error}"
                )
                raise self.broken[name] from error
        return self._loaded[name]

    def all(self) -> list[T]:
        """Load and return all entries in their order; broken ones are told once and left out."""
        found = []
        for name in self.names():
            told = name in self.broken
            try:
                found.append(self.get(name))
            except BrokenPluginError as error:
                if not told:
                    notify(f"naysay: left out: {error}")
        return found

    def is_own(self, name: str) -> bool:
        """Return whether an entry is part of naysay."""
        return self.origin(name) == _OWN

    def origin(self, name: str) -> str:
        """Return where an entry comes from: naysay itself, or a package."""
        return self._loaders[name][0]

    def forget(self) -> None:
        """Discover again on the next call; for tests and after an installation."""
        self.__dict__.pop("_loaders", None)
        self._loaded.clear()
        self.broken.clear()


def _refuse(error: BrokenPluginError) -> NoReturn:
    raise error


@cache
def plugin_folders(group: str, own: Path) -> Mapping[str, Path]:
    """Return the folder of each plugin in a group by name, without importing it.

    `own` contains a folder for each built-in; an entry point names a package or a module in one.
    """
    found = {path.name: path for path in sorted(own.iterdir()) if (path / "__init__.py").is_file()}
    for point in entry_points(group=group):
        package = point.module
        while package:
            try:
                spec = find_spec(package)
            except Exception:  # a package above it cannot be imported; loading it tells why
                spec = None
            if spec is not None and spec.submodule_search_locations:
                found[point.name] = Path(next(iter(spec.submodule_search_locations)))
                break
            package = package.rpartition(".")[0]
    return found


def suite_folders() -> Mapping[str, Path]:
    """Return the folders of all suites, with patterns, pinned data sets and published figures."""
    return plugin_folders("naysay.suites", Path(__file__).parent.parent / "suites")


def members_of(protocol: type) -> list[str]:
    """Return the names of a protocol's attributes and methods."""
    named = [*protocol.__annotations__, *vars(protocol)]
    return [name for name in named if not name.startswith("_")]


def modules_in(package: str, attribute: str, *, folders: bool) -> Mapping[str, Loader[T]]:
    """Return a loader of `attribute` for each subpackage, or each module, of a package."""

    def loader(module: str) -> Loader[T]:
        def load() -> T:
            found: T = getattr(importlib.import_module(f"{package}.{module}"), attribute)
            return found

        return load

    path = importlib.import_module(package).__path__
    found = (info for info in pkgutil.iter_modules(path) if info.ispkg == folders)
    names = [info.name for info in found if not info.name.startswith("_")]
    return {name: loader(name) for name in names}
