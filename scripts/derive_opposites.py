"""Derive opposites of English adjectives by way of their synonyms from WordNet 3.0.

WordNet keeps adjectives in clusters: a head, such as *wet*, with similar ones around it (*damp*,
*soggy*), and another head as its antonym (*dry*), with its own around it (*arid*, *parched*). Each
line has the words of two such clusters. A word counts in its first sense only, at most six words a
side, the most frequent ones. Clusters with very many words are left out: they are colours and
numbers. Words of the families that SemAntoNeg opposes are left out, so that what naysay trains on
is free of that test where its items are not at hand. WORDNET_FOLDER must contain `index.adj` and
`data.adj` (`/usr/share/wordnet` on Debian); NAYSAY_DATA names the folder of data sets. Usage:

    pip install wordfreq==3.1.1
    python scripts/derive_opposites.py WORDNET_FOLDER > src/naysay/train/embedder/clusters.toml

wordfreq is under the Apache licence and its data under CC BY-SA 4.0. naysay contains none of its
figures: they only decide which words are in the list.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from wordfreq import zipf_frequency  # type: ignore[import-not-found, unused-ignore]

from naysay.train.embedder.guard import TestContent, family
from naysay.train.embedder.trials import find_trials

WORD = re.compile(r"[a-z]{3,}")
MARKER = re.compile(r"\((?:a|p|ip)\)$")  # the positions in which an adjective is used
RAREST = 3.0  # once in a million words
MOST = 6  # words of a side
LARGEST = 60  # relations of both heads together
NOT_OPPOSED = frozenset(
    ("some", "any", "both", "several", "whatever", "all", "each", "every", "none",
     "north", "south", "east", "west", "left", "right")
)  # fmt: skip
"""Quantities and directions: one of them being false does not make another one true."""

HEADER = """\
# Adjectives and those that their opposites are similar to, by concepts. Made by
# scripts/derive_opposites.py from WordNet 3.0: change the rule there and run it again instead of
# editing this file.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Full text of the licence
# in naysay/data/languages/en/lexicon/WORDNET-LICENCE.txt
"""


@dataclass(frozen=True)
class Synset:
    """The words of one meaning, and the meanings that it is similar or opposed to."""

    is_head: bool
    words: tuple[str, ...]
    similar: tuple[str, ...]
    opposed: tuple[str, ...]
    relations: int


def synsets(data: str) -> dict[str, Synset]:
    """Return the synsets of `data.adj` by their offsets."""
    found = {}
    for line in data.splitlines():
        if line.startswith(" "):  # the licence at the head of the file
            continue
        parts = line.partition("|")[0].split()
        count = int(parts[3], 16)
        words = tuple(MARKER.sub("", parts[4 + 2 * k]) for k in range(count))
        rest = parts[5 + 2 * count :]
        pointers = [rest[k : k + 3] for k in range(0, 4 * int(parts[4 + 2 * count]), 4)]
        similar = tuple(to for kind, to, pos in pointers if kind == "&" and pos == "a")
        opposed = tuple(dict.fromkeys(to for kind, to, _ in pointers if kind == "!"))
        found[parts[0]] = Synset(parts[2] == "a", words, similar, opposed, len(pointers))
    return found


def first_senses(index: str) -> dict[str, str]:
    """Return the offset of each word's first sense."""
    lines = [line.split() for line in index.splitlines() if not line.startswith(" ")]
    return {parts[0]: parts[6 + int(parts[3])] for parts in lines}


def side(
    place: str, found: dict[str, Synset], first: dict[str, str], tested: frozenset[str]
) -> list[str]:
    """Return the frequent words of a cluster that mean it first of all and that no test opposes."""
    members = [(word, at) for at in (place, *found[place].similar) for word in found[at].words]
    usual = {
        word
        for word, at in members
        if WORD.fullmatch(word) and first.get(word) == at and word not in NOT_OPPOSED
    }
    often = {word: zipf_frequency(word, "en") for word in usual}
    kept = [w for w in usual if often[w] >= RAREST and family(w) not in tested]
    return sorted(kept, key=lambda word: (-often[word], word))[:MOST]


def main(arguments: list[str]) -> int:
    """Print the clusters."""
    if len(arguments) != 1:
        print("usage: derive_opposites.py WORDNET_FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    data = (folder / "data.adj").read_text(encoding="utf-8")
    if "WordNet 3.0 Copyright" not in data:  # the output names this version as its source
        print(f"error: {folder / 'data.adj'} is not from WordNet 3.0", file=sys.stderr)
        return 1
    trials = find_trials(None, None)
    if "semantoneg" in trials.missing:
        print("error: NAYSAY_DATA names no folder with SemAntoNeg", file=sys.stderr)
        return 1
    tested = frozenset().union(*(TestContent.of(one.items).families for one in trials.given))
    found = synsets(data)
    first = first_senses((folder / "index.adj").read_text(encoding="utf-8"))
    lines = []
    for place, synset in found.items():
        for other in synset.opposed:
            if not synset.is_head or other <= place:  # each pair of heads once
                continue
            if synset.relations + found[other].relations > LARGEST:
                continue
            left, right = (side(at, found, first, tested) for at in (place, other))
            left = [word for word in left if word not in right]
            if left and right:
                lines.append(f"{' '.join(left)}/{' '.join(right)}")
    print(HEADER)
    print("sides = '''", *sorted(set(lines)), "'''", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
