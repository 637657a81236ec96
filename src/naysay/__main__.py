"""`python -m naysay` is `naysay`."""

from naysay.cli import main

main()
