"""Derive the forms of the Italian verbs: the third person singular of the present indicative.

The infinitives are read from the file itself; those that `italian_verbs.toml` excludes, with the
reason, are left out. To add a verb, add a line such as `fumare = ""` to
the file and run the following, which rewrites it:

    pip install --no-deps verbecc==2.0.3
    python scripts/derive_italian_verbs.py src/naysay/data/languages/it/lexicon/verbs.toml
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from naysay.core.errors import LexiconError
from naysay.data.languages.it.grammar import third_person

REVIEW = Path(__file__).parent / "italian_verbs.toml"

HEADER = '''\
# Italian intransitive verbs, and the third person singular of their present indicative.
# The forms are made by scripts/derive_italian_verbs.py: to add a verb, write a line such as
# fumare = "" and run it, instead of writing the form by hand.

[verbs]
source = "Chosen by the project from common Italian verbs; forms by verbecc 2.0.3, corrected"
licence = "Apache-2.0"
rule = """\\
One word, not reflexive; intransitive in the dictionary that the paper of scin takes verbs from; \\
a person can have the habit of it."""

[verbs.forms]
'''


def excluded() -> set[str]:
    """Return the verbs that the list does not take."""
    review = tomllib.loads(REVIEW.read_text(encoding="utf-8"))
    return {word for group in review["excluded"] for word in group["words"]}


def as_toml(infinitives: list[str]) -> str:
    """Return the text of the lexicon file; a ValueError names the verbs with unknown forms."""
    kept = sorted(set(infinitives) - excluded())
    forms = {infinitive: third_person(infinitive) for infinitive in kept}
    unknown = [infinitive for infinitive, form in forms.items() if form is None]
    if unknown:
        raise ValueError(f"unknown forms of {', '.join(unknown)}: add them to corrections.toml")
    return HEADER + "".join(f'{infinitive} = "{form}"\n' for infinitive, form in forms.items())


def main(arguments: list[str]) -> int:
    """Rewrite the lexicon file with the forms of its verbs; return the exit code."""
    if len(arguments) != 1:
        print("usage: derive_italian_verbs.py VERBS_TOML", file=sys.stderr)
        return 2
    path = Path(arguments[0])
    try:
        infinitives = list(tomllib.loads(path.read_text(encoding="utf-8"))["verbs"]["forms"])
        if left_out := sorted(excluded() & set(infinitives)):
            print(f"left out: {', '.join(left_out)}", file=sys.stderr)
        path.write_text(as_toml(infinitives), encoding="utf-8")
    except (OSError, ValueError, KeyError, LexiconError) as error:
        print(f"error: {path}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
