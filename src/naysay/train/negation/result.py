"""What a training on negation came to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from naysay.evaluation import Evaluation
from naysay.train.negation.losses import LossChange
from naysay.train.trainer import Trained

if TYPE_CHECKING:
    from naysay.compare import Comparison


@dataclass(frozen=True)
class NegationResult:
    """The trained model's folder, the tests before and after, and the change of the loss."""

    folder: Path
    model: str
    kind: str
    sentences: int
    """How many sentences it was trained on."""
    extraction: dict[str, Any]
    trained: Trained
    before: Evaluation
    after: Evaluation
    comparison: Comparison | None
    """The tests on what both runs were asked; None if that is nothing."""
    incomparable: str | None
    """Why there is no comparison."""
    changes: tuple[LossChange, ...]

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "folder": str(self.folder),
            "model": self.model,
            "kind": self.kind,
            "sentences": self.sentences,
            "extraction": self.extraction,
            "training": self.trained.as_dict(),
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "comparison": None if self.comparison is None else self.comparison.as_dict(),
            "incomparable": self.incomparable,
            "losses": [change.as_dict() for change in self.changes],
        }
