"""Pictures of many runs: what the stories of the tests look like while they are told (tests/gui)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
STORIES = {"callflow-path": "trace-callflow", "callflow-split": "trace-callflow-split"}
LULESH = {"scaling-difference": "trace-callflow-difference"}


def callflow(out: Path, public: str) -> None:
    """Those of generated runs, and with `public` (as CBVTOOL_LULESH of `tests/gui/public_lulesh.py`) that of LULESH."""
    _told(out, STORIES, "-m", "long", "tests/gui/test_callflow_story.py")
    if public:
        os.environ["CBVTOOL_LULESH"] = public
        _told(out, LULESH, "tests/gui/public_lulesh.py")


def _told(out: Path, names: dict[str, str], *words: str) -> None:
    with tempfile.TemporaryDirectory() as seen:
        command = [sys.executable, "-m", "pytest", "-q", *words]
        subprocess.run(command, check=True, cwd=HOME, env=os.environ | {"CBVTOOL_LOOK": seen})
        for name, file in names.items():
            shutil.copyfile(f"{seen}/{name}.png", out / f"{file}.png")
            print(out / f"{file}.png")
