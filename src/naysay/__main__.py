"""`naysay`, and `python -m naysay`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; stopping it while it still loads is no error either."""
    try:
        from naysay.cli import main as run

        run()
    except KeyboardInterrupt:
        print("naysay: stopped", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
