"""Kernels of plugins: compiled code that is kept serves every name that a plugin is imported by."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_SOURCE = "from cbvtool.api import kernel\n@kernel\ndef twice(x):\n    return 2 * x\n"
_ASK = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location(sys.argv[1], sys.argv[2])
module = importlib.util.module_from_spec(spec)
sys.modules[sys.argv[1]] = module
spec.loader.exec_module(module)
print(module.twice(21))
"""


def test_a_plugin_of_another_name_uses_what_was_compiled(tmp_path: Path) -> None:
    """The first process keeps the code; the second one knows no module of the first one's name."""
    (tmp_path / "colours.py").write_text(_SOURCE)
    kept = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    for name in ("first_name", "second_name"):
        command = [sys.executable, "-c", _ASK, name, str(tmp_path / "colours.py")]
        done = subprocess.run(command, env=kept, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("42\n", "")
