"""naysay tells whether a language model understands *not*."""

from __future__ import annotations

from naysay.core import VERSION

# Nothing else is imported here: a Ctrl-C meanwhile would end in a traceback of Python's own.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from naysay.api import Evaluation, ask, compare, evaluate, gate, judge, report, runs, teach
    from naysay.core.errors import NaysayError

__all__ = [
    "Evaluation", "NaysayError", "__version__", "ask", "compare", "evaluate", "gate", "judge",
    "report", "runs", "teach",
]  # fmt: skip
__version__ = VERSION


def __getattr__(name: str) -> Any:
    """Load what evaluates only when it is asked for, so that `import naysay` is instant."""
    if name == "NaysayError":
        from naysay.core import errors

        return errors.NaysayError
    if name in __all__:
        from naysay import api

        return getattr(api, name)
    raise AttributeError(f"module 'naysay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
