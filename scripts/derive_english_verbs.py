"""Derive the English verbs that a person may like to do from WordNet 3.0 and word frequencies.

The rule: one of the verb's senses has the sentence frame "Somebody ----s", and its -ing form is
common. Frequencies are of words, whatever their part of speech, so the infinitive says little:
*hat* and *thumb* are common as nouns. Hardly anything but a verb has the -ing form, and activities
that people like are talked about in it. What the rule finds, with the verbs that
`english_verbs.toml` adds and without those unfit to be shown, is the list `wide`. The list
`everyday` has been read verb by verb, and lacks what `english_verbs.toml` excludes with a reason.

WORDNET_FOLDER must contain `data.verb` (the folder is called `dict` in Princeton's release,
`/usr/share/wordnet` on Debian). Usage:

    pip install wordfreq==3.1.1
    python scripts/derive_english_verbs.py WORDNET_FOLDER \
        > src/naysay/data/languages/en/lexicon/verbs.toml

wordfreq is under the Apache licence and its data under CC BY-SA 4.0. naysay contains none of its
figures.
"""

from __future__ import annotations

import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

SOMEBODY_S = 2  # the number of the frame "Somebody ----s"
LEAST = 3.0  # on Zipf's scale: once in a million words
WORDFREQ = "3.1.1"
REVIEW = Path(__file__).parent / "english_verbs.toml"
WORD = re.compile(r"[a-z]{2,}")  # excludes phrases, names and hyphenated words
_ONE_SYLLABLE = re.compile(r"[^aeiou]*(?:qu)?[aeiou][bdfgklmnprtvz]")
_SHORT_ENDING = re.compile(r".*[^aeiou][aeiou][bdfgklmnprtvz]")

HEADER = '''\
# English verbs for "likes to ...". Made by scripts/derive_english_verbs.py from data.verb of
# WordNet 3.0, word frequencies, and the reading recorded in scripts/english_verbs.toml: change
# these and run it again instead of editing this file.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.

[verbs]
source = "WordNet 3.0 and wordfreq 3.1.1, by a rule; some added or excluded by the project"
licence = """\\
WordNet 3.0 licence (Princeton University), full text in WORDNET-LICENCE.txt. \\
No frequency of wordfreq (data under CC BY-SA 4.0) is included."""
'''
RULES = {
    "everyday": "Common, voluntary activities that need no object; each verb was read.",
    "wide": "Frame 'Somebody ----s' in any sense; -ing form at least once in a million words.",
}


def gerunds(verb: str) -> list[str]:
    """Return the possible spellings of a verb's -ing form.

    >>> gerunds("skate"), gerunds("swim"), gerunds("visit"), gerunds("lie"), gerunds("picnic")
    (['skating'], ['swimming'], ['visiting', 'visitting'], ['lying'], ['picnicking'])
    """
    if verb.endswith("ie"):
        return [f"{verb[:-2]}ying"]
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and len(verb) > 2:
        return [f"{verb[:-1]}ing"]
    if verb.endswith("c"):
        return [f"{verb}king"]
    doubled = f"{verb}{verb[-1]}ing"
    if _ONE_SYLLABLE.fullmatch(verb):  # "rating" belongs to rate, not to rat
        return [doubled]
    # Whether longer verbs double the letter depends on their stress.
    return [f"{verb}ing", *([doubled] if _SHORT_ENDING.fullmatch(verb) else [])]


def verbs_with_frame(data: str, frame: int) -> Iterator[str]:
    """Yield every word that has the frame in one of its senses."""
    for line in data.splitlines():
        if line.startswith(" "):  # the licence at the head of the file
            continue
        # offset file v word_count (word lex_id)... pointer_count (4 fields)... frame_count
        # (+ frame word)... | gloss; counts of words and numbers of words are hexadecimal.
        fields = line.split(" | ", 1)[0].split()
        after_words = 4 + 2 * int(fields[3], 16)
        words = fields[4:after_words:2]
        frames = fields[after_words + 1 + 4 * int(fields[after_words]) + 1 :]
        # Word number 0 means that the frame applies to every word of the synset.
        holders = {
            int(word, 16)
            for number, word in zip(frames[1::3], frames[2::3], strict=True)
            if int(number) == frame
        }
        yield from (word for k, word in enumerate(words, start=1) if holders & {0, k})


def verb_lists(
    data: str, frequency: Callable[[str], float], review: dict[str, Any]
) -> dict[str, list[str]]:
    """Return the two lists, sorted; a ValueError names reviewed words that the rule contradicts."""
    found = {
        verb
        for verb in verbs_with_frame(data, SOMEBODY_S)
        if WORD.fullmatch(verb) and max(map(frequency, gerunds(verb))) >= LEAST
    }
    added = {word for group in review["added"] for word in group["words"]}
    excluded = {
        name: {w for group in review["excluded"] if name in group["lists"] for w in group["words"]}
        for name in RULES
    }
    listed = [word for group in review["excluded"] for word in group["words"]]
    wrong = sorted({*(added & found), *(set(listed) - found)})
    wrong += sorted(word for word in set(listed) if listed.count(word) > 1)
    if wrong:
        raise ValueError(f"{REVIEW.name} adds what is found, or excludes what is not: {wrong}")
    return {name: sorted((found | added) - excluded[name]) for name in RULES}


def as_toml(lists: dict[str, list[str]]) -> str:
    """Return the text of the lexicon file, wrapped to 100 columns."""
    text = HEADER
    for name, words in lists.items():
        quoted = " ".join(f'"{word}",' for word in words)
        indent = "    "
        lines = textwrap.fill(quoted, width=100, initial_indent=indent, subsequent_indent=indent)
        text += f'\n[verbs.lists.{name}]\nrule = "{RULES[name]}"\nwords = [\n{lines}\n]\n'
    return text


def main(arguments: list[str]) -> int:
    """Write the lexicon to standard output; return the exit code."""
    if len(arguments) != 1:
        print("usage: derive_english_verbs.py WORDNET_FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    try:
        data = (folder / "data.verb").read_text(encoding="utf-8")
    except OSError as error:
        reason = f"cannot read {error.filename}: {error.strerror}"
        print(f"error: {reason}; is {folder} a WordNet 3.0 folder?", file=sys.stderr)
        return 2
    if "WordNet 3.0 Copyright" not in data:  # the output names this version as its source
        print(f"error: {folder / 'data.verb'} is not from WordNet 3.0", file=sys.stderr)
        return 2
    try:
        from wordfreq import zipf_frequency  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        install = f"pip install wordfreq=={WORDFREQ}"
        print(f"error: word frequencies are missing: {install}", file=sys.stderr)
        return 2
    if version("wordfreq") != WORDFREQ:
        print(f"error: this is wordfreq {version('wordfreq')}, not {WORDFREQ}", file=sys.stderr)
        return 2
    review = tomllib.loads(REVIEW.read_text(encoding="utf-8"))
    sys.stdout.write(as_toml(verb_lists(data, lambda word: zipf_frequency(word, "en"), review)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
