"""naysay tells whether a language model understands *not*."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from naysay.core import VERSION
from naysay.core.errors import NaysayError

if TYPE_CHECKING:
    from naysay.api import Evaluation, evaluate, judge

__all__ = ["Evaluation", "NaysayError", "evaluate", "judge"]
__version__ = VERSION


def __getattr__(name: str) -> Any:
    """Load what evaluates only when it is asked for, so that `import naysay` is instant."""
    if name in ("Evaluation", "evaluate", "judge"):
        from naysay import api

        return getattr(api, name)
    raise AttributeError(f"module 'naysay' has no attribute {name!r}")
