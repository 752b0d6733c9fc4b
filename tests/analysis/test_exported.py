"""What a package offers is in use (CBV-10): imported by name in its `__init__`, and stubs of overloads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cbvtool.metrics.structure.unused import unused
from cbvtool.project import analyze

FILES = {
    "main.py": "import shop\nfrom shop.tax import used\nused()\n",
    "shop/__init__.py": "from .inner import *\nfrom .prices import total as total, _hidden\nfrom . import tax\n",
    "shop/prices.py": "def total(): ...\ndef _hidden(): ...\ndef other(): ...\n",
    "shop/tax.py": "def rate(): ...\ndef used(): ...\n",
    "shop/inner/__init__.py": "from .deep import deepest\n",
    "shop/inner/deep.py": (
        "import typing as t\n@t.overload\ndef deepest(a: int) -> int: ...\n@t.overload\n"
        "def deepest(a: str) -> str: ...\ndef deepest(a): return a\nclass Unnamed: ...\n"
    ),
}


def test_definitions_that_a_package_offers_are_in_use(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = analyze(tmp_path)
    exported = {graph.ids[key] for key in np.flatnonzero(graph.values["exported"] == 1).tolist()}
    deep = "shop/inner/deep.py::deepest"
    assert exported == {"shop/prices.py::total", deep, f"{deep}#2", f"{deep}#3"}
    found = {graph.ids[key] for one in unused(graph) or [] for key in one.keys}
    assert found == {
        "shop/prices.py::_hidden",
        "shop/prices.py::other",
        "shop/tax.py::rate",
        "shop/inner/deep.py::Unnamed",
    }
