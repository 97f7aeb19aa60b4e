"""`python -m losona`."""

from losona.cli import main

main()
