"""`python -m losona.lint PATH...`: findings grouped by file, with counts. Exit code 1 on errors, 2 on a wrong path."""

import sys
from itertools import groupby
from pathlib import Path

from losona.errors import UserFault
from losona.lint import lint_paths
from losona.numbers import some
from losona.taxonomy import load_taxonomy


def main(arguments: list[str]) -> int:
    """Lint the paths and print what is found."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    try:
        findings = lint_paths([Path(argument) for argument in arguments], load_taxonomy())
    except UserFault as fault:
        print(fault, file=sys.stderr)
        return 2
    for _, group in groupby(findings, lambda finding: finding.file):
        print("\n".join(finding.render() for finding in group), end="\n\n")
    errors = sum(finding.severity == "error" for finding in findings)
    print(f"{some(errors, 'error')}, {some(len(findings) - errors, 'warning')}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
