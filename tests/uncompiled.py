"""A plugin whose loops nobody has compiled yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba
import numba.core.dispatcher
import pytest

from cbvtool.extensions import discover, import_module

NAME = "cbvtool_plugin_sums"
PLUGIN = """
from cbvtool.api import kernel
API = "0.1"

@kernel
def one_more(x):
    return x + 1

@kernel
def two_more(x):
    return one_more(one_more(x))

@kernel
def no_code(x):
    return x.no_such_attribute

def register(registry): pass
"""


@dataclass
class Uncompiled:
    """Its module, and the names of the loops that this process has compiled since."""

    module: Any
    made_here: list[str] = field(default_factory=list)


@pytest.fixture
def sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Uncompiled:
    """The plugin in a process whose cache is empty."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "compiled"))
    monkeypatch.setattr("cbvtool.trace.kernels._tried", set())
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "sums.py").write_text(PLUGIN)
    assert discover([tmp_path / "plugins"], [])[0].plugins[0].name == "sums"
    found = Uncompiled(import_module(NAME, ""))
    compiler: Any = vars(numba.core.dispatcher)["_FunctionCompiler"]
    compile_here = compiler.compile

    def noted(self: Any, *arguments: Any) -> Any:
        found.made_here.append(self.py_func.__name__)
        return compile_here(self, *arguments)

    monkeypatch.setattr(compiler, "compile", noted)
    return found
