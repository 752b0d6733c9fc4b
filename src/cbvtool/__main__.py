"""`python -m cbvtool`."""

import os
import sys

import cbvtool


def _forget_working_directory() -> None:
    """Python puts it in front for `-m`: standing in a repository with a `numpy.py`, that would be run."""
    source = os.path.dirname(os.path.dirname(os.path.abspath(cbvtool.__file__)))
    if not sys.flags.safe_path and source != os.getcwd():
        del sys.path[0]


if __name__ == "__main__":
    _forget_working_directory()
    from cbvtool.cli import main

    raise SystemExit(main())
