"""How runs were made, how they can be made again, and what to cite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from naysay.report.glance import Labelled
from naysay.report.sections import Code, Facts, Part, Prose, Section
from naysay.report.tables import sizes
from naysay.run.manifest import NAME
from naysay.suites import SUITES
from naysay.version import VERSION


def making(labelled: Sequence[Labelled]) -> Iterator[Part]:
    """A section for each run: its command, its model, its machine and its versions."""
    for name, evaluation in labelled:
        manifest = evaluation.manifest
        facts = manifest.model
        on = {name: str(value) for name, value in manifest.machine.items()}
        machine = f"{on.get('system')} {on.get('processor')}, {on.get('cores')} cores"
        pairs = [
            ("run key", manifest.key),
            ("model", f"{facts['name']} ({facts['kind']})"),
            ("precision and device", f"{facts.get('precision')}, {facts.get('device')}"),
            ("revision", str(facts.get("revision") or "not on record")),
            ("weights and tokenizer", str(facts.get("digest", ""))[:16]),
            ("asked", f"{manifest.counts['questions']:,} questions on {sizes(manifest)}"),
            ("time spent asking", f"{manifest.seconds:,.1f} s"),
            ("finished", manifest.finished or "not finished"),
            ("seed", str(evaluation.spec.seed)),
            ("machine", machine),
        ]
        used = {"Python": on.get("python", "?"), **manifest.versions}
        versions = ", ".join(f"{library} {number}" for library, number in used.items())
        pairs.append(("versions", f"naysay {_made_by(manifest.folder)}, {versions}"))
        yield Section(
            name,
            (Code("Make it again with", evaluation.spec.command()), Facts("The run", tuple(pairs))),
        )


def _made_by(folder: Path) -> str:
    """The version of naysay that made the run, which may be an older one."""
    record = json.loads((folder / NAME).read_text(encoding="utf-8"))
    return str(record.get("naysay", "of an unknown version"))


def citations(suites: Sequence[str]) -> Iterator[Part]:
    """Entries for a bibliography: of naysay, and of each paper once."""
    yield Prose(("Please cite naysay, and the paper of each test you use.",))
    entries = dict.fromkeys(SUITES.get(suite).card.citation.strip() for suite in suites)
    entry = (
        "@software{naysay,\n"
        '  title = "naysay: does a language model understand not?",\n'
        '  author = "{The naysay authors}",\n'
        f'  version = "{VERSION}",\n'
        '  license = "Apache-2.0",\n'
        "}"
    )
    yield Code("BibTeX", "\n\n".join([entry, *entries]))
