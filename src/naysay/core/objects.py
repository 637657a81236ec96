"""Runs in an object store: an address such as `s3://bucket/prefix`, which behaves like a path.

Only what the store can do is offered: read, put, list and delete whole objects. There are no
folders; a name with a slash in it is there as soon as the object is. A put is seen whole or not at
all, so nothing is written beside and renamed.

Where the store is, and who asks, is in the environment, as for other programs that speak S3:
AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE.
"""

from __future__ import annotations

import io
import os
from collections.abc import Generator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    _Base = Path
else:
    _Base = type(Path())

_SCHEME = "s3:"


def place_of(name: str | Path) -> Path:
    """Return the path that a user typed, or the address in an object store.

    >>> str(place_of("s3://bucket/runs")), type(place_of("runs")) is type(Path())
    ('s3://bucket/runs', True)
    """
    path = Path(name)
    # A path drops the second slash, so an address that has been one is known by its first part.
    is_address = path.parts[:1] == (_SCHEME,) and len(path.parts) > 1
    return ObjectPath(path) if is_address and not isinstance(path, ObjectPath) else path


class ObjectPath(_Base):
    """An address in an object store, with those methods of a path that it can have."""

    def __str__(self) -> str:
        return f"{_SCHEME}//{self.key}"

    def __fspath__(self) -> str:
        raise TypeError(f"{self} is in an object store, not a file on this machine")

    @property
    def key(self) -> str:
        """Bucket and name, as the store has them."""
        return "/".join(self.parts[1:])

    def _found(self) -> Any:
        return _store().get_file_info(self.key)

    def is_file(self) -> bool:
        """Return whether there is an object of this name."""
        return bool(self._found().is_file)

    def is_dir(self) -> bool:
        """Return whether there are objects below this name."""
        return _is_folder(self._found())

    def exists(self, **_: Any) -> bool:
        """Return whether there is an object of this name, or below it."""
        found = self._found()
        return found.is_file or _is_folder(found)

    def stat(self, **_: Any) -> Any:
        """Return size and time of the object, under the names that files have them."""
        found = self._found()
        if not found.is_file:
            raise FileNotFoundError(2, "no such object", str(self))
        return SimpleNamespace(st_size=found.size, st_mtime_ns=found.mtime_ns)

    def read_bytes(self) -> bytes:
        """Read the object."""
        with _store().open_input_stream(self.key) as stream:
            content: bytes = stream.read()
        return content

    def open(self, mode: str = "r", *_: Any, **__: Any) -> Any:
        """Open the object for reading its bytes."""
        if mode != "rb":
            raise io.UnsupportedOperation(f"{self} can be opened for reading bytes only")
        return io.BytesIO(self.read_bytes())

    def write_bytes(self, data: Any) -> int:
        """Put the object; until that is done, nobody sees any of it."""
        with _store().open_output_stream(self.key) as stream:
            stream.write(data)
        return len(data)

    def iterdir(self) -> Generator[ObjectPath, None, None]:
        """Yield the names below this one, up to the next slash."""
        from pyarrow.fs import FileSelector

        for found in _store().get_file_info(FileSelector(self.key, allow_not_found=True)):
            yield self / found.base_name

    def glob(self, pattern: str) -> Generator[ObjectPath, None, None]:
        """Yield what fits the pattern; `**` is not known."""
        first, _, rest = pattern.partition("/")
        plain = not set("*?[") & set(first)
        found = [self / first] if plain else list(self.iterdir())
        for one in found:
            if not plain and not fnmatchcase(one.name, first):
                continue
            if rest:
                yield from one.glob(rest)
            elif not plain or one.exists():
                yield one

    def mkdir(self, *_: Any, **__: Any) -> None:
        """Do nothing: there are no folders."""

    def unlink(self, missing_ok: bool = False) -> None:
        """Delete the object."""
        try:
            _store().delete_file(self.key)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def remove(self) -> None:
        """Delete everything below this name."""
        _store().delete_dir(self.key)

    def absolute(self) -> ObjectPath:
        """Return the address, which is absolute."""
        return self

    def resolve(self, strict: bool = False) -> ObjectPath:
        """Return the address, which has no links."""
        return self


def _is_folder(found: Any) -> bool:
    from pyarrow.fs import FileType

    return bool(found.type == FileType.Directory)


@cache
def _store() -> Any:
    from pyarrow.fs import S3FileSystem

    given: dict[str, Any] = {}
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint:
        address = urlsplit(endpoint if "//" in endpoint else f"https://{endpoint}")
        given = {"endpoint_override": address.netloc, "scheme": address.scheme}
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region or endpoint:  # else it is asked for once, by the bucket's name
        given["region"] = region or "us-east-1"
    return S3FileSystem(allow_delayed_open=True, **given)
