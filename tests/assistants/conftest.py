"""A small code base with a plan of five tasks, and its tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cbvtool.assistants.snapshot import LiveCodeBase
from cbvtool.assistants.tools import AssistantTools
from cbvtool.plan import Create, Group, History, Move, Remove, Rename
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.project import open_project
from tests.test_project import git

FILES = {
    "shop/__init__.py": "",
    "shop/core/__init__.py": "",
    "shop/core/order.py": "from shop.core import price\n\n\nclass Order:\n"
    "    def total(self):\n        return price.of(self)\n",
    "shop/core/price.py": "def of(order):\n    return 1 if order else 0\n",
    "shop/web/__init__.py": "",
    "shop/web/page.py": "from shop.core.order import Order\nfrom . import forms\n\n\n"
    "def show():\n    return forms.form(Order())\n",
    "shop/web/forms.py": "from shop.core.price import of\n\n\ndef form(order):\n    return of(order), order.total()\n",
    "shop/web/attic.py": "LEFT = 1\n",
    "test_shop.py": "from shop.web.page import show\n\n\ndef test_show():\n    assert show() == (1, 1)\n",
    "cbvtool.toml": '[rules]\ndeny = [{from = "shop/core", to = "shop/web"}]\n',
}
STEPS = (
    Create("plan:1", "shop", "money", "package"),
    Move(("shop/core/price.py",), "plan:1"),
    Rename("shop/web/page.py", "pages.py"),
    Remove(("shop/web/attic.py",)),
    Move(("shop/web/forms.py",), "shop/core"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "subject"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    project = open_project(folder, cache=False)
    history = History(project.graph)
    for step in STEPS:
        history = history.do(Group("step", (step,)))
    assert not history.refusals
    write_document(Document(folder, "shop", project.commit, (Plan.of(history),)), folder / "plan.cbv")
    return folder


@pytest.fixture
def ask(root: Path) -> Callable[[str, Mapping[str, Any]], dict[str, Any]]:
    tools = AssistantTools(LiveCodeBase(root, {"jobs": 1, "cache": False}), cache=False)
    return tools.call
