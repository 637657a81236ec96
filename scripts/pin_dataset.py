"""Print the `[[file]]` entries of a data set's TOML file: path, size and SHA-256 of every file.

Usage: python scripts/pin_dataset.py path/to/data/SemAntoNeg \
    >> src/naysay/suites/semantoneg/datasets/semantoneg.toml

Add `from = "…"` by hand if upstream keeps a file under another path, and `url = "…"` if it is not
next to the others. Then `naysay data check --data-dir path/to/data` must report no problems.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from naysay.core.keys import file_digest


def entries(folder: Path) -> str:
    """Return one entry per file, sorted by path, without hidden files."""
    files = sorted(
        (path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file()
    )
    return "".join(
        f"\n[[file]]\npath = {json.dumps(name, ensure_ascii=False)}\nsize = {path.stat().st_size}\n"
        f'sha256 = "{file_digest(path)}"\n'
        for name, path in files
        if not any(part.startswith(".") for part in name.split("/"))
    )


def main(arguments: list[str]) -> int:
    """Print the entries of a folder; return the exit code."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: pin_dataset.py FOLDER", file=sys.stderr)
        return 2
    print(entries(Path(arguments[0])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
