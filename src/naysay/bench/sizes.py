"""How much is measured: in full, or as little as a test needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How large the models are, and how much they are asked."""

    rounds: int
    layers: int = 12
    width: int = 768
    """Of masked models; these are those of BERT-base."""
    causal_layers: int = 30
    """Of models as wide as SmolLM2-135M."""
    sentences: int = 256
    contexts: int = 12
    continuations: int = 32
    """Texts that share each context."""
    few: bool = False
    """Whether suites are run end to end on few of their units."""
    most_timed: int | None = None
    """How many steps of a slow way are timed in each round, if fewer than its suite says."""
    rows: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    widths: tuple[tuple[int, int], ...] = ((2, 128), (4, 256), (4, 512), (8, 512), (12, 768))
    """Layers and widths of models of several sizes."""
    judged_pairs: int | None = None
    """Pairs of the run that is judged, and of the one that is repeated; all if None."""
    report_runs: int = 10
    report_pairs: int = 485
    """Together they make a million rows."""

    @property
    def masked_model(self) -> str:
        """What the masked models are called in titles."""
        whole = (self.layers, self.width) == (12, 768)
        return "BERT-base" if whole else f"BERT of {self.layers} layers, {self.width} wide"


FULL = Sizes(rounds=3)
QUICK = Sizes(
    rounds=1, layers=2, width=256, causal_layers=2, sentences=24, contexts=2, continuations=6,
    few=True, most_timed=2, rows=(200, 800), widths=((1, 64), (2, 64)), judged_pairs=2,
    report_runs=2, report_pairs=2,
)  # fmt: skip
