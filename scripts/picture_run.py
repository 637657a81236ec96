"""Render the output of `naysay judge RUN` as SVG.

Usage: python scripts/picture_run.py RUN_FOLDER > picture.svg
"""

from __future__ import annotations

import io
import re
import sys

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from naysay import judge
from naysay.reports.terminal import show


def main() -> None:
    """Print the tables to a recording console, then export it as SVG."""
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/picture_run.py RUN_FOLDER > picture.svg")
    console = Console(record=True, width=88, file=io.StringIO())
    show(judge(sys.argv[1]), console)
    # Without font URLs: an image should not access the network.
    form = re.sub(r"@font-face {{.*?}}\n", "", CONSOLE_SVG_FORMAT, flags=re.S)
    print(console.export_svg(title="naysay run", code_format=form))


if __name__ == "__main__":
    main()
