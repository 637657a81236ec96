"""Where progress is shown: on terminals, in notebooks, and as lines elsewhere."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from naysay.core.console import Bar, Lines, in_notebook, suited_progress


def kernel(name: str) -> object:
    return type(name, (), {})()


@pytest.mark.parametrize(
    ("shell", "shown"),
    [("ZMQInteractiveShell", True), ("TerminalInteractiveShell", False), (None, False)],
)
def test_a_notebook_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, shell: str | None, shown: bool
) -> None:
    found = None if shell is None else kernel(shell)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: found))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert in_notebook() == shown
    assert isinstance(suited_progress(), Bar if shown else Lines)


def test_without_ipython_there_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not in_notebook()
