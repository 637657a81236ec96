"""What Python users call; `import naysay` offers it under the same names."""

from __future__ import annotations

from typing import Any

from naysay.run.evaluation import Evaluation, judge
from naysay.run.evaluation import evaluate as _evaluate

__all__ = ["Evaluation", "evaluate", "judge"]


def evaluate(*given: Any, **options: Any) -> Evaluation:
    """Run suites on a model, measure, and save the figures in the run's folder."""
    from naysay.reports.formats import save

    evaluation = _evaluate(*given, **options)
    save(evaluation)
    return evaluation
