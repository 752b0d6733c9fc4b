"""Symbolic links in a repository whose plan is carried out: they lead where they led, or the plan is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.apply.links import relinked
from cbvtool.apply.stopped import Stopped
from cbvtool.plan import Merge, Move, Operation, Remove, Rename
from tests.apply.tried import repository, tried

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "from pkg import b\n",
    "pkg/b.py": "y = 1\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/c.py": "from pkg.alias import y\n",
    "src/main/java/a/One.java": "package a;\n\npublic class One {\n}\n",
    "web/one.js": "",
    "docs/page.md": "",
}
LINKS = {
    "pkg/alias.py": "b.py",
    "pkg/sub/up.py": "../a.py",
    "docs/code": "../pkg/sub",
    "docs/deep.py": "code/c.py",
    "docs/nowhere.py": "missing.py",
    "docs/out.py": "../../outside.py",
    "docs/absolute.md": "/etc/hosts",
    "src/main/java/a/Two.java": "One.java",
    "web/two.js": "./one.js",
    "web/self.js": "self.js",
    "top": "pkg",
    "pkg/root": "..",
}
KINDS: list[tuple[tuple[Operation, ...], dict[str, str]]] = [
    ((Rename("docs/page.md", "other.md"),), {}),
    ((Rename("pkg/b.py", "d.py"),), {"pkg/alias.py": "d.py"}),
    ((Move(("pkg/a.py",), "pkg/sub"),), {"pkg/sub/up.py": "a.py"}),
    ((Rename("pkg/sub", "parts"),), {"pkg/sub/up.py": "", "pkg/parts/up.py": "../a.py", "docs/code": "../pkg/parts"}),
    ((Rename("pkg", "core"),), {"docs/code": "../core/sub", "top": "core"}),
    ((Rename("web/one.js", "three.js"),), {"web/two.js": "three.js"}),
    ((Move(("web/one.js",), "docs"),), {"web/two.js": "../docs/one.js"}),
    (
        (Move(("docs",), "web"),),
        {
            "web/docs/code": "../../pkg/sub",
            "web/docs/out.py": "../../../outside.py",
            "web/docs/nowhere.py": "missing.py",
            "web/docs/absolute.md": "/etc/hosts",
        },
    ),
]


@pytest.mark.parametrize(("operations", "expected"), KINDS)
def test_links_lead_where_they_led(tmp_path: Path, operations: tuple[Operation, ...], expected: dict[str, str]) -> None:
    """A1 of plans.md: one tracked link to a `.py` ended every plan in a KeyError."""
    found = tried(repository(tmp_path / "subject", FILES, LINKS), *operations)
    assert found.stopped == ""
    said = {path: text.removeprefix("-> ") for path, text in found.files.items() if text.startswith("-> ")}
    assert len(said) == len(LINKS)
    assert {path: said.get(path, "") for path in expected} == expected
    if not expected:
        assert said == LINKS


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (Remove(("web/one.js",)), "web/two.js is a link to web/one.js, which would be gone."),
        (Remove(("pkg/sub",)), "docs/code is a link to pkg/sub, which would be gone."),
    ],
)
def test_a_link_to_what_is_removed(tmp_path: Path, operation: Operation, reason: str) -> None:
    """One sentence, and nothing is written."""
    assert tried(repository(tmp_path / "subject", FILES, LINKS), operation).stopped.endswith(reason)


def test_links_go_with_their_folder(tmp_path: Path) -> None:
    """Removed with it; into what it is merged with."""
    files = {"a/one.txt": "", "b/two.txt": "", "c/three.txt": ""}
    folder = repository(tmp_path / "subject", files, {"a/link": "one.txt", "c/link3": "three.txt"})
    found = tried(folder, Merge("a", "b"), Remove(("c",)))
    assert found.files == {"b/one.txt": "", "b/two.txt": "", "b/link": "-> one.txt"}


def test_no_module_stays_under_the_old_name_of_a_link(tmp_path: Path) -> None:
    """--forward: the module whose content it shows keeps its own name."""
    found = tried(repository(tmp_path / "subject", FILES, LINKS), Rename("pkg/sub", "parts"), forward=True)
    assert found.stopped == ""
    assert "pkg/sub/c.py" in found.files
    assert "pkg/sub/up.py" not in found.files


def test_a_link_in_a_folder_that_is_divided(tmp_path: Path) -> None:
    """Nobody can say where it belongs."""
    files = {"a/one.txt": "", "a/two.txt": "", "b/x.txt": "", "c/y.txt": ""}
    folder = repository(tmp_path / "subject", files, {"a/link": "/etc/hosts"})
    found = tried(folder, Move(("a/one.txt",), "b"), Move(("a/two.txt",), "c"), Remove(("a",)))
    assert found.stopped.endswith(
        "a/link lies in a folder whose content goes to several places: move it by hand first."
    )


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (Rename("pkg/b.py", "d.py"), "docs/b.py, outside of the folder of the plan, is a link to ../sub/pkg/b.py"),
        (Remove(("pkg/sub",)), "docs/parts is a link to sub/pkg/sub, which would be gone."),
        (Rename("pkg/a.py", "x.py"), ""),
    ],
)
def test_links_from_outside_of_the_folder_of_the_plan(tmp_path: Path, operation: Operation, reason: str) -> None:
    """The plan is about a folder in a repository, to which a link elsewhere leads."""
    links = {"docs/b.py": "../sub/pkg/b.py", "docs/parts": "../sub/pkg/sub", "sub/pkg/out.md": "../../docs/page.md"}
    files = {f"sub/{path}" if path.startswith("pkg/") else path: text for path, text in FILES.items()}
    folder = repository(tmp_path / "repository", {**files, "sub/pkg/sub/c.py": ""}, links)
    found = tried(folder / "sub", operation)
    assert reason in found.stopped
    assert bool(found.stopped) == bool(reason)


@pytest.mark.parametrize("link", ["web", "docs/page.md"])
def test_a_folder_in_the_place_of_a_link(tmp_path: Path, link: str) -> None:
    """A link is a file in the tree: no folder takes its place."""
    folder = repository(tmp_path / "subject", {"old/one.txt": "", "docs/x.md": ""}, {link: "/etc/hosts"})
    above, _, name = link.rpartition("/")
    steps: list[Operation] = [Rename("old", name)]
    if above:
        steps.append(Move(("old",), above))
    assert f"the folder of old/one.txt would both be {link}: rename one of them." in tried(folder, *steps).stopped


@pytest.mark.parametrize(
    ("links", "places", "expected"),
    [
        ({"l": "a/x"}, {"a/x": "b/y"}, {"l": "b/y"}),
        ({"l": "a/"}, {"a/x": "b/x", "a/w": "b/w"}, {"l": "b/"}),
        ({"l": "a"}, {"a/x": "b/x", "a/w": "c/w"}, "whose files would go to several places"),
        ({"l": "a"}, {"a/x": "b/x"}, {"l": "a"}),
        ({"l": "m", "m": "a/x"}, {"a/x": "a/y"}, {"l": "m", "m": "a/y"}),
        ({"d/l": "../m/x", "m": "a"}, {"a/x": "a/y"}, {"d/l": "../a/y", "m": "a"}),
        ({"d/l": "../m/x", "m": "a"}, {"d/l": "e/f/l", "d/k": "e/f/k"}, {"e/f/l": "../../a/x", "m": "a"}),
        ({"l": "l"}, {"a/x": "b/x"}, {"l": "l"}),
        ({"d/l": "../m/x", "m": "m/m"}, {"d/l": "e/l"}, "nobody can say"),
        ({"a/l": "gen/x"}, {"a/l": "b/l", "a/x": "b/x", "a/w": "b/w"}, {"b/l": "gen/x"}),
        ({"d/l": "../a/gen/x"}, {"a/x": "b/x", "a/w": "b/w"}, {"d/l": "../b/gen/x"}),
        ({"l": ""}, {"a/x": "b/x"}, {"l": ""}),
        ({"l": "a/x"}, {"a/x": None}, "a/x, which would be gone"),
        ({"l": "a/x"}, {"a/x": None, "l": None}, {}),
        ({"l": "a/l2", "a/l2": "x"}, {"a/l2": "l2"}, {"l": "l2", "l2": "a/x"}),
    ],
)
def test_what_a_link_says(links: dict[str, str], places: dict[str, str | None], expected: dict[str, str] | str) -> None:
    """Chains, loops, links on the way, links to what is not tracked."""
    paths = {"a/x", "a/w", *links, *(old for old in places)}
    if isinstance(expected, str):
        with pytest.raises(Stopped, match=expected):
            relinked(links, paths, places)
        return
    assert relinked(links, paths, places) == expected
