"""Which imports would fail, predicted, beside Python itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cbvtool.apply.python.importing import Imports
from cbvtool.apply.python.modules import ModuleTree, dotted
from cbvtool.apply.source import parsed

CASES = {
    "a circle that works": {"p/__init__.py": "", "p/a.py": "from . import b\n", "p/b.py": "from . import a\n"},
    "a circle that takes a name too early": {
        "p/__init__.py": "",
        "p/a.py": "from .b import y\nx = 1\n",
        "p/b.py": "from .a import x\ny = 2\n",
    },
    "a circle that takes a name in time": {
        "p/__init__.py": "",
        "p/a.py": "x = 1\nfrom .b import y\n",
        "p/b.py": "from .a import x\ny = 2\n",
    },
    "deferred": {
        "p/__init__.py": "",
        "p/a.py": "from .b import y\nx = 1\n",
        "p/b.py": "def f():\n    from .a import x\ny = 2\n",
    },
    "for type checkers": {
        "p/__init__.py": "",
        "p/a.py": "from .b import y\nx = 1\n",
        "p/b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import x\ny = 2\n",
    },
    "the package around comes first": {
        "p/__init__.py": "from .a import x\n",
        "p/a.py": "from p.b import y\nx = 1\n",
        "p/b.py": "from p import x\ny = 2\n",
    },
    "a dotted name too early": {
        "p/__init__.py": "from . import a\nfrom . import b\n",
        "p/a.py": "import p\nz = p.b\n",
        "p/b.py": "",
    },
    "a dotted name that was loaded": {
        "p/__init__.py": "from . import b\nfrom . import a\n",
        "p/a.py": "import p\nz = p.b\n",
        "p/b.py": "",
    },
    "import as": {"p/__init__.py": "", "p/a.py": "import p.b as b\n", "p/b.py": "import p.a as a\n"},
    "a module that is gone": {"p/__init__.py": "", "p/a.py": "from .gone import x\n"},
    "something else instead": {
        "p/__init__.py": "",
        "p/a.py": "try:\n    from .gone import x\nexcept ImportError:\n    from .b import x\n",
        "p/b.py": "x = 1\n",
    },
    "all of a module that lists too much": {
        "p/__init__.py": "",
        "p/a.py": "from .b import *\n",
        "p/b.py": "__all__ = ['x']\n",
    },
    "all of a package that lists modules": {
        "p/__init__.py": "__all__ = ['b']\n",
        "p/b.py": "",
        "m.py": "from p import *\nb\n",
    },
    "a class body": {
        "p/__init__.py": "",
        "p/a.py": "from . import b\nx = 1\n",
        "p/b.py": "from . import a\nclass C:\n    y = a.x\n",
    },
    "a body that reads its names, too early": {
        "p/__init__.py": "def g(name):\n    return globals()[name]\nfrom .a import x\ny = 1\n",
        "p/a.py": "from p import y\nx = 1\n",
    },
    "a body that makes names": {
        "p/__init__.py": "globals()['y'] = 1\nfrom .a import x\n",
        "p/a.py": "from p import y\nx = 1\n",
    },
    "a body that executes code for others": {
        "p/__init__.py": "",
        "p/a.py": "from .b import y\ndef run(code, places):\n    exec(code)\n    exec(code, places)\nx = 1\n",
        "p/b.py": "from .a import x\ny = 2\n",
    },
    "a body that executes code for itself": {
        "p/__init__.py": "exec('y = 1')\nfrom .a import x\n",
        "p/a.py": "from p import y\nx = 1\n",
    },
    "a function that executes code for its module": {
        "p/__init__.py": "def run(code):\n    exec(code, globals())\nrun('y = 1')\nfrom .a import x\n",
        "p/a.py": "from p import y\nx = 1\n",
    },
    "names on demand": {"p/__init__.py": "def __getattr__(name):\n    return 1\n", "p/a.py": "from . import thing\n"},
}

EACH_FIRST = """\
import sys, os
for name in sys.argv[1:]:
    pid = os.fork()
    if not pid:
        try:
            __import__(name)
        except Exception:
            os._exit(1)
        os._exit(0)
    print(name, os.waitpid(pid, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fresh interpreter each takes long without fork")
@pytest.mark.parametrize("case", CASES)
def test_what_python_says(case: str, tmp_path: Path) -> None:
    """NEW-4: circular imports by what each body has bound so far, each module as the first one."""
    files = CASES[case]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    modules = ModuleTree(files)
    sources = {path: parsed(text.encode()) for path, text in files.items()}
    failures = Imports(modules, sources.get).failures(sorted(modules.file))
    names = [dotted(modules.name(module)) for module in modules.file]
    done = subprocess.run(
        [sys.executable, "-B", "-c", EACH_FIRST, *names], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    fails = {line.split()[0] for line in done.stdout.splitlines() if not line.endswith(" 0")}
    assert {dotted(modules.name(module)) for module in failures} == fails
