"""Derive the antonyms of English words from WordNet 3.0.

Lower-case single words (with hyphens) are kept. Each word has its antonyms by sense, in WordNet's
order of senses, which is by frequency in sense-tagged text. `1:thin` says that thin is the antonym
of the word in its first sense; `3~nonfat` says that in the third sense a synonym of the word has
the antonym nonfat. WORDNET_FOLDER must contain `index.*` and `data.*` (the folder is called `dict`
in Princeton's release, `/usr/share/wordnet` on Debian). Usage:

    python scripts/derive_antonyms.py WORDNET_FOLDER > src/naysay/build/antonyms.toml
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CLASSES = {"adjective": "adj", "verb": "verb", "adverb": "adv", "noun": "noun"}
WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
MARKER = re.compile(r"\((?:a|p|ip)\)$")  # the positions in which an adjective is used

# Pairs where the negation of one does not imply the other: sides, colours, ranks. "Ill" for "badly"
# is out of use. A sense without remaining antonyms does not count, so the next one moves up.
UNSOUND = {
    "adjective": (
        "left right", "black white", "first last", "first second", "former latter", "other same",
        "north south", "northern southern", "east west", "eastern western", "back front",
        "center left", "center right", "early middle", "late middle",
    ),
    "adverb": ("ill well",),
}  # fmt: skip

HEADER = """\
# Antonyms of English words. Made by scripts/derive_antonyms.py from WordNet 3.0: change the rule
# there and run it again instead of editing this file.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.

source = "WordNet 3.0, antonym pointers"
licence = '''WordNet 3.0 licence (Princeton University);
full text in naysay/data/languages/en/lexicon/WORDNET-LICENCE.txt'''
rule = '''Lower-case single words with an antonym. Number of the sense, then ":" and the word's own
antonym in it, or "~" and the antonym of a synonym in it.'''
"""


@dataclass(frozen=True)
class Synset:
    """The words of one meaning, and the antonyms that some of them have."""

    words: tuple[str, ...]
    antonyms: tuple[tuple[str, str, int], ...]
    """Word of this synset, offset of the other synset, place of the antonym there."""


def synsets(data: str) -> dict[str, Synset]:
    """Return the synsets of a data file by their offsets."""
    found = {}
    for line in data.splitlines():
        if line.startswith(" "):  # the licence at the head of the file
            continue
        # offset file type word_count (word lex_id)... pointer_count (symbol offset pos
        # source/target)... | gloss; counts and numbers of words are hexadecimal.
        fields = line.split(" | ", 1)[0].split()
        after_words = 4 + 2 * int(fields[3], 16)
        words = tuple(MARKER.sub("", word) for word in fields[4:after_words:2])
        pointers = [
            fields[start : start + 4]
            for start in range(after_words + 1, after_words + 1 + 4 * int(fields[after_words]), 4)
        ]
        antonyms = tuple(
            (words[int(ends[:2], 16) - 1], offset, int(ends[2:], 16) - 1)
            for symbol, offset, _pos, ends in pointers
            if symbol == "!"
        )
        found[fields[0]] = Synset(words, antonyms)
    return found


def senses(index: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each word of an index file with the offsets of its senses, most frequent first."""
    for line in index.splitlines():
        if not line.startswith(" "):
            fields = line.split()
            yield fields[0], fields[len(fields) - int(fields[2]) :]


def entry(word: str, offsets: list[str], by_offset: dict[str, Synset], unsound: set[str]) -> str:
    """Return the antonyms of a word in the file's format, empty if there are none."""
    entries: list[str] = []
    number = 0
    for offset in offsets:
        synset = by_offset[offset]
        if word not in synset.words:  # a name in this sense: Christian, Pole
            continue
        number += 1
        found = [
            (of, antonym)
            for of, other, place in synset.antonyms
            if WORD.fullmatch(antonym := by_offset[other].words[place]) and antonym != word
        ]
        sound = [(of, a) for of, a in found if " ".join(sorted((word, a))) not in unsound]
        if found and not sound:
            number -= 1
        marks = [f"{number}{':' if of == word else '~'}{antonym}" for of, antonym in sound]
        entries += sorted(set(marks), key=lambda mark: ("~" in mark, marks.index(mark)))
    return " ".join(entries)


def as_toml(folder: Path) -> str:
    """Return the whole file."""
    parts = [HEADER]
    for name, ending in CLASSES.items():
        data = (folder / f"data.{ending}").read_text(encoding="utf-8")
        if "WordNet 3.0 Copyright" not in data:  # the output names this version as its source
            raise ValueError(f"{folder / f'data.{ending}'} is not from WordNet 3.0")
        by_offset, unsound = synsets(data), set(UNSOUND.get(name, ()))
        index = (folder / f"index.{ending}").read_text(encoding="utf-8")
        entries = (
            (word, entry(word, offsets, by_offset, unsound))
            for word, offsets in senses(index)
            if WORD.fullmatch(word)
        )
        lines = [f'{word} = "{antonyms}"\n' for word, antonyms in sorted(entries) if antonyms]
        parts.append(f"\n[{name}]\n{''.join(lines)}")
    return "".join(parts)


def main(arguments: list[str]) -> int:
    """Write the file to standard output; return the exit code."""
    if len(arguments) != 1:
        print("usage: derive_antonyms.py WORDNET_FOLDER", file=sys.stderr)
        return 2
    try:
        text = as_toml(Path(arguments[0]))
    except OSError as error:
        reason = f"cannot read {error.filename}: {error.strerror}"
        print(f"error: {reason}; is {arguments[0]} a WordNet 3.0 folder?", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
