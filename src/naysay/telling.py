"""What the user should know while a command runs."""

from __future__ import annotations

import sys


def tell(text: str) -> None:
    """Say something on the error stream; standard output is for results."""
    print(text, file=sys.stderr, flush=True)
