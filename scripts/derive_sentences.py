"""Derive general English sentences from WordNet 3.0: its examples of use, and short definitions.

They show an embedder in training what must not change. Those with a negation are left out, since
what they mean to the model is meant to change. WORDNET_FOLDER must contain `data.*` (the folder is
called `dict` in Princeton's release, `/usr/share/wordnet` on Debian). Usage:

    python scripts/derive_sentences.py WORDNET_FOLDER > src/naysay/train/embedder/general.txt
"""

import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

CLASSES = ("adj", "adv", "noun", "verb")
WORDS = (5, 20)  # of a sentence, at least and at most
COUNTS = {"example": 8000, "definition": 4000}
NEGATED = re.compile(
    r"\b(?:not|no|never|without|nor|neither|none|nobody|nothing|nowhere|hardly|barely|scarcely|"
    r"seldom|rarely|cannot|lack\w*|fail\w*)\b|n't",
    re.IGNORECASE,
)
QUOTED = re.compile(r'"([^"]+)"')
HEADER = """\
# General English sentences: examples of use and definitions. Made by scripts/derive_sentences.py
# from WordNet 3.0: change the rule there and run it again instead of editing this file.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Full text of the licence
# in naysay/data/languages/en/lexicon/WORDNET-LICENCE.txt
"""


def sentences(data: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of all examples and definitions in a data file."""
    for line in data.splitlines():
        if line.startswith(" ") or " | " not in line:  # the licence at the head of the file
            continue
        gloss = line.split(" | ", 1)[1].strip()
        for example in QUOTED.findall(gloss):
            yield "example", example.strip()
        yield "definition", gloss.split('; "')[0].strip(" ;")


def is_usable(text: str) -> bool:
    """Return whether a text has a fit length, and neither a negation nor brackets."""
    return (
        WORDS[0] <= len(text.split()) <= WORDS[1]
        and not NEGATED.search(text)
        and not re.search(r"[()\[\]`;#]", text)
    )


def place(text: str) -> bytes:
    """Return a text's place in an order that depends on nothing else."""
    return hashlib.sha256(text.encode()).digest()


def main(arguments: list[str]) -> int:
    """Write the file to standard output; return the exit code."""
    if len(arguments) != 1:
        print("usage: derive_sentences.py WORDNET_FOLDER", file=sys.stderr)
        return 2
    found: dict[str, set[str]] = {kind: set() for kind in COUNTS}
    try:
        for ending in CLASSES:
            data = (Path(arguments[0]) / f"data.{ending}").read_text(encoding="utf-8")
            if "WordNet 3.0 Copyright" not in data:  # the output names this version as its source
                raise ValueError(f"{arguments[0]}/data.{ending} is not from WordNet 3.0")
            for kind, text in sentences(data):
                if is_usable(text):
                    found[kind].add(text)
    except OSError as error:
        reason = f"cannot read {error.filename}: {error.strerror}"
        print(f"error: {reason}; is {arguments[0]} a WordNet 3.0 folder?", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    kept = [t for kind, count in COUNTS.items() for t in sorted(found[kind], key=place)[:count]]
    sys.stdout.write(HEADER + "".join(f"{text}\n" for text in sorted(kept, key=place)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
