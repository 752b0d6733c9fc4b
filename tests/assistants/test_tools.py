"""The tools of assistants without the protocol: exact answers, bounded, of the tree as it is (NEW-25)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cbvtool.assistants import pages
from cbvtool.assistants.snapshot import LiveCodeBase
from cbvtool.assistants.tools import AssistantTools
from cbvtool.errors import InputError
from tests.assistants.scripted_client import carry_out
from tests.test_project import git

Ask = Callable[[str, Mapping[str, Any]], dict[str, Any]]


def test_answers_are_exact(ask: Ask) -> None:
    """NEW-25: ids, places and confidence."""
    found = ask("find", {"query": "kind:class"})
    assert found["nodes"] == [
        {"id": "shop/core/order.py::Order", "kind": "class", "place": "shop/core/order.py:4", "end_line": 6}
    ]
    used = ask("relations", {"node": "web/page.py", "kinds": ["import"]})
    assert [(row["target"], row["confidence"], row["places"]) for row in used["relations"]] == [
        ("shop/core/order.py", "exact", ["shop/web/page.py:1"]),
        ("shop/web/forms.py", "exact", ["shop/web/page.py:2"]),
    ]
    users = ask("relations", {"node": "shop/web/forms.py", "direction": "used_by", "kinds": ["import"]})
    assert [row["source"] for row in users["relations"]] == ["shop/web/page.py"]
    chains = ask("path", {"source": "test_shop.py", "target": "shop/core/price.py"})
    assert chains["length"] >= 2
    assert chains["chains"][0]["steps"][0]["relations"][0]["places"][0].startswith("test_shop.py:")
    affected = ask("impact", {"files": ["shop/core/price.py"]})
    assert {row["id"]: row["test"] for row in affected["nodes"]}["test_shop.py"]
    assert ask("overview", {})["nodes"]["file"] == 11  # with the plan
    assert ask("check", {})["total"] == 0
    assert ask("findings", {})["subject"] == "subject"
    assert [row["rank"] for row in ask("hot_spots", {})["files"]][:1] == [1]


def test_answers_are_of_the_tree_as_it_is(root: Path, ask: Ask) -> None:
    """NEW-25: every answer names the commit and the files that differ from it, however they came to."""
    commit = ask("overview", {})["commit"]
    assert ask("overview", {})["changed_since_commit"] == ["plan.cbv"]
    (root / "shop" / "core" / "price.py").write_text("from shop.web import page\n\n\ndef of(order):\n    return page\n")
    broken = ask("check", {})
    assert broken["changed_since_commit"] == ["plan.cbv", "shop/core/price.py"]
    assert [(row["source"], row["target"]) for row in broken["violations"]] == [
        ("shop/core/price.py", "shop/web/page.py")
    ]
    assert {row["id"] for row in ask("impact", {})["nodes"]} > {"test_shop.py"}
    (root / "shop" / "empty").mkdir()
    ask("overview", {})
    (root / "shop" / "empty" / "new.py").write_text("def brand_new(): pass\n")
    assert [row["id"] for row in ask("find", {"query": "brand_new"})["nodes"]] == ["shop/empty/new.py::brand_new"]
    same_size = (root / "shop" / "empty" / "new.py").read_text().replace("brand_new", "other_new")
    before = os.stat(root / "shop" / "empty" / "new.py")
    (root / "shop" / "empty" / "new.py").write_text(same_size)
    os.utime(root / "shop" / "empty" / "new.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ask("find", {"query": "name:other_new"})["total"] == 1
    (root / "shop" / "web" / "attic.py").unlink()
    assert "shop/web/attic.py" in ask("overview", {})["changed_since_commit"]
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "second")
    after = ask("overview", {})
    assert after["commit"] != commit
    assert after["changed_since_commit"] == []
    assert after["commits"] == 2


def test_nothing_changed_is_not_analysed_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-25: a query costs a look at the files, not an analysis."""
    code = LiveCodeBase(root, {"jobs": 1, "cache": False})
    first = code.now()
    assert code.now() is first


def test_pages(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-25: lists come in pages of bounded size that together are the whole list."""
    whole = ask("find", {"query": "path:shop", "limit": 200})
    assert "next" not in whole
    monkeypatch.setattr(pages, "MOST_CHARACTERS", 200)
    rows, offset = [], 0
    while True:
        part = ask("find", {"query": "path:shop", "limit": 3, "offset": offset})
        assert len(part["nodes"]) <= 3
        assert len(json.dumps(part["nodes"])) < 400
        rows += part["nodes"]
        if "next" not in part:
            break
        offset = part["next"]
    assert rows == whole["nodes"]
    assert len(rows) == whole["total"] > 9


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("nothing", {}, "no tool"),
    ("find", {"query": "x" * 1_001}, "length <= 1000"),
    ("find", {"query": " "}, "empty"),
    ("find", {"query": "/(/"}, "missing"),
    ("find", {"query": "/" + "(a{1,90}){1,90}" * 9 + "/"}, "too large"),
    ("find", {"query": "(" * 300 + "a" + ")" * 300 + " > 1"}, "nested deeper|character"),
    ("find", {"query": "x", "limit": 10**9}, "<= 200"),
    ("find", {"query": "x", "limit": "7"}, "Expected `int`"),
    ("find", {"query": "x", "offset": -1}, ">= 0"),
    ("find", {"query": ["x"]}, "Expected `str`"),
    ("find", {"quary": "x"}, "unknown field"),
    ("find", {}, "missing required"),
    ("find", {"query": "a\0b"}, "NUL"),
    ("find", {"query": "churn > 1"}, "second reading"),
    ("relations", {"node": "nowhere"}, "no node"),
    ("relations", {"node": "x" * 5_000}, "length <= 4096"),
    ("relations", {"node": "__init__.py"}, "can be 3 nodes"),
    ("relations", {"node": "shop", "kinds": ["magic"]}, "magic"),
    ("relations", {"node": "shop", "direction": "sideways"}, "sideways"),
    ("path", {"source": "shop", "target": "shop"}, "Both ends"),
    ("impact", {"files": ["../other/x.py"]}, "outside"),
    ("impact", {"files": ["/etc/passwd"]}, "outside"),
    ("impact", {"files": ["C:\\windows\\x"]}, "outside"),
    ("impact", {"files": ["shop/../../x"]}, "outside"),
    ("impact", {"files": ["a"] * 101}, "length <= 100"),
    ("tasks", {}, "No plan"),
    ("tasks", {"document": "../plan.cbv"}, "no document"),
    ("tasks", {"document": "/etc/passwd"}, "no document"),
    ("tasks", {"document": "link.cbv"}, "no document"),
    ("tasks", {"document": "gone.cbv"}, "gone.cbv"),
    ("tasks", {"document": "plan.cbv", "plan": "Plan 9"}, "no plan"),
    ("tasks", {"document": "plan.cbv", "task": "nothing"}, "no task"),
    ("tasks", {"document": "plan.cbv", "mark": "half"}, "half"),
]


def test_hostile_arguments_are_refused_with_a_sentence(root: Path, ask: Ask, tmp_path: Path) -> None:
    """NEW-25: whatever an assistant asks, it gets an answer or one sentence."""
    (tmp_path / "secret.cbv").write_text((root / "plan.cbv").read_text())
    os.symlink(tmp_path / "secret.cbv", root / "link.cbv")
    for tool, arguments, said in HOSTILE:
        with pytest.raises(InputError, match=said) as error:
            ask(tool, arguments)
        assert len(str(error.value)) < 2_100
        assert str(error.value).endswith((".", "?"))


def test_five_tasks_are_carried_out_by_the_answers_alone(root: Path, ask: Ask) -> None:
    """NEW-25, 22.7: every task is open before, done after its own edits, and no rule is broken."""
    plan = {"document": "plan.cbv"}
    assert ask("tasks", plan)["marks"] == {"open": 5, "partly": 0, "done": 0, "overtaken": 0}
    assert carry_out(ask, root, "plan.cbv") == ["done"] * 5
    assert ask("tasks", plan)["marks"] == {"open": 0, "partly": 0, "done": 5, "overtaken": 0}
    assert ask("check", {})["total"] == 0
    assert (root / "shop/money/price.py").exists()
    assert "from shop.money import price" in (root / "shop/core/order.py").read_text()
    assert "shop.core import forms" in (root / "shop/web/pages.py").read_text()
    (root / "shop" / "money" / "price.py").rename(root / "shop" / "web" / "price.py")
    marks = {row["title"]: row["mark"] for row in ask("tasks", plan)["tasks"]}
    assert "overtaken" in marks.values()  # neither at its old place nor at the new one


def test_a_document_may_be_opened_in_place_of_the_folder(root: Path) -> None:
    """NEW-25: its plan is the one that is asked about, and the code is as it is, not as planned."""
    tools = AssistantTools(LiveCodeBase(root / "plan.cbv", {"jobs": 1, "cache": False}), cache=False)
    assert tools.call("tasks", {"mark": "open"})["total"] == 5
    assert tools.call("find", {"query": "path:shop/money"})["total"] == 0
