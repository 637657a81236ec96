"""Derive the English verbs with an intransitive use from WordNet 3.0.

A verb is kept if one of its senses has the sentence frame "Somebody ----s" and that same sense
occurs in WordNet's sense-tagged texts. WORDNET_FOLDER must contain `data.verb` and `cntlist.rev`
(the folder is called `dict` in Princeton's release, `/usr/share/wordnet` on Debian). Usage:

    python scripts/derive_english_verbs.py WORDNET_FOLDER \
        > src/naysay/data/languages/en/lexicon/verbs.toml
"""

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

SOMEBODY_S = 2  # the number of the frame "Somebody ----s"
VERB = "2"  # the number of the part of speech in a sense key
WORD = re.compile(r"[a-z]{2,}")  # excludes phrases, names and hyphenated words

# Auxiliaries and copulas mean little on their own in "likes to ...", and some of them carry the
# negation of the tested sentence itself.
AUXILIARIES = ("be", "dare", "do", "get")
# Vulgar words: test items are shown to people.
VULGAR = ("bullshit", "piss")

HEADER = """\
# English verbs with an intransitive use. Made by scripts/derive_english_verbs.py from data.verb and
# cntlist.rev of WordNet 3.0: change the rule there and run it again instead of editing this file.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.

[verbs]
source = "WordNet 3.0, verb frame 'Somebody ----s'"
licence = "WordNet 3.0 licence (Princeton University); full text in WORDNET-LICENCE.txt"
rule = "Single lower-case words with a sense which has the frame and occurs in sense-tagged text."
words = [
"""


def tagged_senses(cntlist: str) -> set[str]:
    """Return the keys of the senses that occur in the tagged texts.

    Untagged senses would make the list noisy: many nouns have a rare verb sense, such as "to
    oyster" (to gather oysters), which few readers would recognise as a verb.
    """
    rows = (line.split() for line in cntlist.splitlines())
    return {key for key, _number, count in rows if int(count) >= 1}


def senses_with_frame(data: str, frame: int) -> Iterator[tuple[str, str]]:
    """Yield the word and the sense key of every verb sense that has the frame."""
    for line in data.splitlines():
        if line.startswith(" "):  # the licence at the head of the file
            continue
        # offset file v word_count (word lex_id)... pointer_count (4 fields)... frame_count
        # (+ frame word)... | gloss; counts of words and numbers of words are hexadecimal.
        fields = line.split(" | ", 1)[0].split()
        lexicographer_file = fields[1]
        after_words = 4 + 2 * int(fields[3], 16)
        words = fields[4:after_words:2]
        lex_ids = [int(field, 16) for field in fields[5:after_words:2]]
        frames = fields[after_words + 1 + 4 * int(fields[after_words]) + 1 :]
        # Word number 0 means that the frame applies to every word of the synset.
        holders = {
            int(word, 16)
            for number, word in zip(frames[1::3], frames[2::3], strict=True)
            if int(number) == frame
        }
        for position, (word, lex_id) in enumerate(zip(words, lex_ids, strict=True), start=1):
            if holders & {0, position}:
                yield word, f"{word.lower()}%{VERB}:{lexicographer_file}:{lex_id:02d}::"


def intransitive_verbs(data: str, cntlist: str) -> list[str]:
    """Return the verbs that satisfy the rule, sorted."""
    tagged = tagged_senses(cntlist)
    verbs = {
        word
        for word, key in senses_with_frame(data, SOMEBODY_S)
        if WORD.fullmatch(word) and key in tagged
    }
    return sorted(verbs.difference(AUXILIARIES, VULGAR))


def as_toml(words: list[str]) -> str:
    """Return the text of the lexicon file, wrapped to 100 columns."""
    quoted = " ".join(f'"{word}",' for word in words)
    indent = "    "
    lines = textwrap.fill(quoted, width=100, initial_indent=indent, subsequent_indent=indent)
    return f"{HEADER}{lines}\n]\n"


def main(arguments: list[str]) -> int:
    """Write the lexicon to standard output; return the exit code."""
    if len(arguments) != 1:
        print("usage: derive_english_verbs.py WORDNET_FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    try:
        data = (folder / "data.verb").read_text(encoding="utf-8")
        cntlist = (folder / "cntlist.rev").read_text(encoding="utf-8")
    except OSError as error:
        reason = f"cannot read {error.filename}: {error.strerror}"
        print(f"error: {reason}; is {folder} a WordNet 3.0 folder?", file=sys.stderr)
        return 2
    if "WordNet 3.0 Copyright" not in data:  # the output names this version as its source
        print(f"error: {folder / 'data.verb'} is not from WordNet 3.0", file=sys.stderr)
        return 2
    sys.stdout.write(as_toml(intransitive_verbs(data, cntlist)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
