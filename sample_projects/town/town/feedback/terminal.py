"""The terminal that the program was started in."""

import sys


def write(line: str) -> None:
    """A line for the user, beside what the program prints."""
    sys.stderr.write(f"{line}\n")
