"""Merges of a plan that is carried out: folders and packages become one, files are joined by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Create, Merge, Move, Operation, Rename
from tests.apply.tried import repository, tried

PYTHON = {
    "pkg/__init__.py": "",
    "pkg/a/__init__.py": '"""The first one."""\n',
    "pkg/a/x.py": "from pkg.b import y\n\nx = y.y\n",
    "pkg/b/__init__.py": "# nothing\n",
    "pkg/b/y.py": "y = 1\n",
    "use.py": "import pkg.a.x\nfrom pkg.a import x\nfrom pkg import a\n\nprint(pkg.a.x.x, x, a.x)\n",
}
MERGED = {
    "pkg/__init__.py": "",
    "pkg/b/__init__.py": "# nothing\n",
    "pkg/b/x.py": "from pkg.b import y\n\nx = y.y\n",
    "pkg/b/y.py": "y = 1\n",
    "use.py": "import pkg.b.x\nfrom pkg.b import x\nfrom pkg import b as a\n\nprint(pkg.b.x.x, x, a.x)\n",
}
JAVA = {
    "src/main/java/a/One.java": "package a;\n\npublic class One {\n}\n",
    "src/main/java/b/Two.java": "package b;\n\nimport a.One;\n\npublic class Two {\n    One one;\n}\n",
    "src/main/java/c/Three.java": "package c;\n\nimport a.One;\nimport b.Two;\n\nclass Three {\n    One o; Two t;\n}\n",
}
SCRIPTS = {
    "src/a/one.ts": 'import "../b/two";\n',
    "src/a/one.css": "a {}\n",
    "src/b/two.ts": "",
    "src/main.js": 'import "./a/one";\nimport "./b/two";\n',
}


def merged(tmp_path: Path, files: dict[str, str], *operations: Operation) -> dict[str, str]:
    found = tried(repository(tmp_path / "subject", files), *operations)
    assert found.stopped == ""
    return dict(found.files)


def refused(tmp_path: Path, files: dict[str, str], *operations: Operation) -> str:
    return tried(repository(tmp_path / "subject", files), *operations).stopped


def test_packages_of_python(tmp_path: Path) -> None:
    """A1 of plans.md: two packages, each with an `__init__.py` in which nothing is done, become one."""
    assert merged(tmp_path, PYTHON, Merge("pkg/a", "pkg/b")) == MERGED


def test_one_package_after_the_other(tmp_path: Path) -> None:
    """Into one that goes into a third one itself, in which an `__init__.py` waits."""
    files = {**PYTHON, "pkg/c/__init__.py": "", "pkg/c/z.py": "from ..a import x\n"}
    found = merged(tmp_path, files, Merge("pkg/a", "pkg/b"), Merge("pkg/b", "pkg/c"))
    assert sorted(found) == [
        f"pkg/{name}" for name in ("__init__.py", *(f"c/{n}.py" for n in ("__init__", *"xyz")))
    ] + ["use.py"]
    assert found["pkg/c/z.py"] == "from . import x\n"


def test_into_the_top_folder(tmp_path: Path) -> None:
    """It becomes no package; an `__init__.py` that does something has no place there."""
    files = {**PYTHON, "use.py": "from pkg.a import x\n"}
    assert merged(tmp_path, files, Merge("pkg/a", ""))["use.py"] == "import x\n"
    refused_too = tried(
        repository(tmp_path / "other", {**files, "pkg/a/__init__.py": "import os\n"}), Merge("pkg/a", "")
    )
    assert refused_too.stopped.endswith("pkg/a/__init__.py would make a package of the top folder: move it by hand.")


@pytest.mark.parametrize("keeps", ["pkg/a", "pkg/b"])
def test_the_init_file_that_does_something_stays(tmp_path: Path, keeps: str) -> None:
    files = {**PYTHON, f"{keeps}/__init__.py": "import os\n"}
    assert merged(tmp_path, files, Merge("pkg/a", "pkg/b")) == {**MERGED, "pkg/b/__init__.py": "import os\n"}


def test_two_init_files_that_do_something_clash(tmp_path: Path) -> None:
    files = {**PYTHON, "pkg/a/__init__.py": "import os\n", "pkg/b/__init__.py": "import sys\n"}
    reason = "pkg/a/__init__.py cannot become pkg/b/__init__.py: that name is taken by pkg/b/__init__.py."
    assert refused(tmp_path, files, Merge("pkg/a", "pkg/b")) == reason


def test_a_chain_of_merges_and_names(tmp_path: Path) -> None:
    """What is merged is renamed and merged again; what was to be merged is emptied by moves first."""
    files = {**PYTHON, "pkg/c/__init__.py": "", "pkg/c/z.py": "from ..a import x\n"}
    steps = (Merge("pkg/a", "pkg/b"), Rename("pkg/b", "both"), Move(("pkg/b/y.py",), "pkg"), Merge("pkg/c", "pkg/b"))
    found = merged(tmp_path, files, *steps)
    assert found == {
        "pkg/__init__.py": "",
        "pkg/both/__init__.py": "# nothing\n",
        "pkg/both/x.py": "from pkg import y\n\nx = y.y\n",
        "pkg/both/z.py": "from ..both import x\n",
        "pkg/y.py": "y = 1\n",
        "use.py": MERGED["use.py"].replace("pkg.b", "pkg.both").replace("import b as a", "import both as a"),
    }


def test_into_a_package_that_the_plan_makes(tmp_path: Path) -> None:
    steps = (Create("plan:1", "pkg", "both", "package"), Merge("pkg/a", "plan:1"), Merge("pkg/b", "plan:1"))
    found = merged(tmp_path, PYTHON, *steps)
    assert sorted(found) == ["pkg/__init__.py", "pkg/both/__init__.py", "pkg/both/x.py", "pkg/both/y.py", "use.py"]
    assert found["use.py"] == MERGED["use.py"].replace("pkg.b", "pkg.both").replace("import b as", "import both as")


def test_out_of_what_was_merged(tmp_path: Path) -> None:
    found = merged(tmp_path, PYTHON, Merge("pkg/a", "pkg/b"), Move(("pkg/a/x.py",), "pkg"), Rename("pkg/b", "c"))
    assert sorted(found) == ["pkg/__init__.py", "pkg/c/__init__.py", "pkg/c/y.py", "pkg/x.py", "use.py"]
    assert found["pkg/x.py"] == "from pkg.c import y\n\nx = y.y\n"


def test_packages_of_java(tmp_path: Path) -> None:
    """A1 of plans.md: the package line, the imports."""
    found = merged(tmp_path, JAVA, Merge("src/main/java/a", "src/main/java/b"))
    assert found == {
        "src/main/java/b/One.java": "package b;\n\npublic class One {\n}\n",
        "src/main/java/b/Two.java": "package b;\n\n\npublic class Two {\n    One one;\n}\n",
        "src/main/java/c/Three.java": JAVA["src/main/java/c/Three.java"].replace("a.One", "b.One"),
    }


def test_folders_of_scripts(tmp_path: Path) -> None:
    """A1 of plans.md: paths that lead nowhere any more are written anew."""
    found = merged(tmp_path, SCRIPTS, Merge("src/a", "src/b"))
    assert found == {
        "src/b/one.css": "a {}\n",
        "src/b/one.ts": 'import "../b/two";\n',
        "src/b/two.ts": "",
        "src/main.js": 'import "./b/one";\nimport "./b/two";\n',
    }


@pytest.mark.parametrize(
    ("files", "same"),
    [
        (PYTHON | {"pkg/b/x.py": ""}, "pkg/a/x.py cannot become pkg/b/x.py: that name is taken by pkg/b/x.py."),
        (PYTHON | {"pkg/a/y.py/z.txt": ""}, "pkg/b/y.py and the folder of pkg/a/y.py/z.txt would both be pkg/b/y.py"),
    ],
)
def test_equal_names_are_told(tmp_path: Path, files: dict[str, str], same: str) -> None:
    """A1 of plans.md: the sentence names the clash."""
    assert refused(tmp_path, files, Merge("pkg/a", "pkg/b")).startswith(same)


@pytest.mark.parametrize("files", [PYTHON, {**PYTHON, "pkg/a/x.py": "X = 1\n"}, {**PYTHON, "pkg/a/x.py": ""}])
def test_files_are_joined_by_hand(tmp_path: Path, files: dict[str, str]) -> None:
    """A1 of plans.md: also one that defines nothing, whose code would be lost."""
    reason = refused(tmp_path, files, Merge("pkg/a/x.py", "pkg/b/y.py"))
    assert reason.endswith("pkg/a/x.py and pkg/b/y.py would become one file: join their code by hand.")
