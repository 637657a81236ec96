"""naysay tells whether a language model understands *not*."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from naysay.core import VERSION
from naysay.core.errors import NaysayError

if TYPE_CHECKING:
    from naysay.api import Evaluation, compare, evaluate, gate, judge, report, runs

__all__ = [
    "Evaluation", "NaysayError", "__version__", "compare", "evaluate", "gate", "judge", "report",
    "runs",
]  # fmt: skip
__version__ = VERSION


def __getattr__(name: str) -> Any:
    """Load what evaluates only when it is asked for, so that `import naysay` is instant."""
    if name in __all__:
        from naysay import api

        return getattr(api, name)
    raise AttributeError(f"module 'naysay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
