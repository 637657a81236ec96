"""Registries of suites, languages and adapters, filled by discovery.

Nothing is listed by hand: on first use a registry scans its package and the entry points of
installed packages. Names are known without importing anything; an entry is loaded on demand. Broken
entries and duplicate names raise an error that names the package.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar

from naysay.core.errors import BrokenPluginError, NaysayError, UnknownNameError

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
    ) -> None:
        self.what = what
        self.group = group
        self._discover = discover
        self._from_entry_point = from_entry_point
        self._loaded: dict[str, T] = {}

    @cached_property
    def _loaders(self) -> dict[str, tuple[str, Loader[T]]]:
        found = {name: ("naysay itself", loader) for name, loader in self._discover().items()}
        for point in entry_points(group=self.group):
            origin = f"{point.value} of {point.dist.name if point.dist else 'an installed package'}"
            if point.name in found:
                raise BrokenPluginError(
                    f"two {self.what}s are called {point.name!r}: one in {found[point.name][0]}, "
                    f"one in {origin}. Uninstall one of them."
                )
            found[point.name] = (origin, self._entry_loader(point))
        return found

    def _entry_loader(self, point: EntryPoint) -> Loader[T]:
        make = self._from_entry_point
        return lambda: make(point) if make else point.load()

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted(self._loaders)

    def get(self, name: str) -> T:
        """Return the entry called `name`."""
        if name not in self._loaded:
            if name not in self._loaders:
                raise UnknownNameError(self.what, name, self._loaders)
            origin, load = self._loaders[name]
            try:
                self._loaded[name] = load()
            except NaysayError:
                raise
            except Exception as error:
                raise BrokenPluginError(
                    f"{self.what} {name!r} from {origin} cannot be loaded: "
                    f"{type(error).__name__}: {error}"
                ) from error
        return self._loaded[name]

    def all(self) -> list[T]:
        """Load and return all entries, sorted by name."""
        return [self.get(name) for name in self.names()]

    def forget(self) -> None:
        """Discover again on the next call; for tests and after an installation."""
        self.__dict__.pop("_loaders", None)
        self._loaded.clear()


@cache
def plugin_folders(group: str, own: Path) -> Mapping[str, Path]:
    """Return the folder of each plugin in a group by name, without importing it.

    `own` contains a folder for each built-in; an entry point names a package or a module in one.
    """
    found = {path.name: path for path in sorted(own.iterdir()) if (path / "__init__.py").is_file()}
    for point in entry_points(group=group):
        package = point.module
        while package:
            spec = find_spec(package)
            if spec is not None and spec.submodule_search_locations:
                found[point.name] = Path(next(iter(spec.submodule_search_locations)))
                break
            package = package.rpartition(".")[0]
    return found


def suite_folders() -> Mapping[str, Path]:
    """Return the folders of all suites, with patterns, pinned data sets and published figures."""
    return plugin_folders("naysay.suites", Path(__file__).parent.parent / "suites")


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
