"""Recording C programs by uftrace, as docs/traces.md says: in tests on machines that have it and a compiler."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces

GUIDE = Path(__file__).parents[2] / "docs" / "traces.md"


def recorded_c(folder: Path, source: Path) -> Trace:
    """The recording of a C program by the commands of the guide; skips the test where they cannot run."""
    if not shutil.which("uftrace") or not shutil.which("gcc"):
        pytest.skip("uftrace and gcc are needed")
    block = re.search(r"```\n(gcc .*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert block is not None
    shutil.copy(source, folder / "app.c")
    for command in block[1].replace("\\\n", " ").strip().splitlines():
        subprocess.run(["bash", "-c", command.partition(" #")[0]], cwd=folder, check=True, capture_output=True)
    trace = read_traces(folder / "app.data")[0]
    assert isinstance(trace, Trace)
    return trace
