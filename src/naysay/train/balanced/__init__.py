"""The balanced corpus of Kassner and Schütze (2020): is *not* learnt where it is frequent?"""

from __future__ import annotations

from pathlib import Path

PUBLISHED = Path(__file__).parent / "published.toml"
"""The paper's figures for this experiment."""
