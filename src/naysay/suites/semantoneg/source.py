"""Where the items come from: upstream's release, naysay's own frames, or a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from naysay.core.errors import DatasetError
from naysay.core.keys import content_key
from naysay.core.paths import user_path
from naysay.data.datasets import require
from naysay.data.items import AntonymItem, digest, read_items
from naysay.suites.base import items_here
from naysay.suites.protocol import Setting, Unit

ITEM_SETS = UPSTREAM_ITEMS, OWN_ITEMS = "semantoneg", "antoneg"
FRAMES = Path(__file__).parent / "frames.toml"
_RELEASE = "SemAntoNeg_v1.0.json"
# Of upstream's release 1.0: a file that has been changed is not compared with the paper.
_UPSTREAM = "9d4043db3af38322c903ef98adfff2007d032aa4098b00e3193eab3c36ec8e9c"


@dataclass(frozen=True)
class ItemSource:
    """A set of items under the name that the user gave."""

    name: str
    items: Sequence[AntonymItem]
    digest: str

    @property
    def is_upstream(self) -> bool:
        """Whether these are the very items that the paper's figures are about."""
        return self.digest == _UPSTREAM

    @cached_property
    def units(self) -> Sequence[Unit]:
        """Each item as a unit, named by its sentences; a repeated one by its number too."""
        seen: Counter[tuple[str, ...]] = Counter()
        units = []
        for item in self.items:
            seen[item.sentences] += 1
            again = seen[item.sentences]
            key = content_key(item.sentences, 16) + (f"/{again}" if again > 1 else "")
            units.append(Unit(key, _slots(item, repeated=again > 1)))
        return units


def _slots(item: AntonymItem, *, repeated: bool) -> tuple[tuple[str, str], ...]:
    return (
        ("idx", str(item.idx)),
        ("text", item.text),
        ("antonym_only", item.options[0]),
        ("polarity_only", item.options[1]),
        ("paraphrase", item.options[2]),
        ("pair", "/".join(item.pair)),
        ("word_class", item.word_class),
        ("negator", item.negator),
        ("repeated", "yes" if repeated else ""),
    )


def source_of(setting: Setting, asked: str | None) -> ItemSource:
    """The items that are asked for by name or file, or those that are here."""
    name = asked or items_here(ITEM_SETS, setting.spec)
    if name == OWN_ITEMS:
        return _own(setting.language.code)
    if name == UPSTREAM_ITEMS:
        path = require("semantoneg", setting.spec.data_dir) / _RELEASE
    else:
        path = user_path(name)
        if not path.is_file():
            known = f"{UPSTREAM_ITEMS}, {OWN_ITEMS}"
            raise DatasetError(f"--items {name}: it is neither one of {known} nor a file")
    return _from_file(name, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _from_file(name: str, path: Path, changed: int) -> ItemSource:
    items = read_items(path)
    return ItemSource(name, items, digest(items))


@lru_cache(maxsize=1)
def _own(language: str) -> ItemSource:
    if language != "en":
        raise DatasetError(
            f"naysay's own items are English; give a file in {language} with --items"
        )
    from naysay.data.frames import from_frames

    items = from_frames(FRAMES)
    return ItemSource(OWN_ITEMS, items, digest(items))
