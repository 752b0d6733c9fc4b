"""The judge of task lists (`tests/judges/plan_commits.py`): which lines of a commit it takes for real, by language."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from cbvtool.analysis import analyze
from cbvtool.plan.operations import Create, Move, Rename
from cbvtool.plan.sites.site import Site
from tests.judges.commits import Change, Commit, Hunk, Repository, defined_name, read_changes
from tests.judges.plan_commits import compared, operations, reality
from tests.judges.real_lines import Real, gone, replaced

PYTHON = {
    "shop/__init__.py": "",
    "shop/cart.py": "import os\n\n\ndef total():\n    '''Uses shop.cart.'''\n    return os.getpid()\n",
    "shop/till.py": "VALUE = 1\n",
    "shop/desk.py": "from . import (\n    cart,\n    till,\n)\n\n# cart is nice\nprint(cart.total(), till.VALUE)\n",
    "main.py": "import shop.cart\nfrom shop.cart import total\n\nshop.cart.total()\nname = 'shop.cart.total'\n",
    "setup.cfg": "[entry]\nrun = shop.cart:total\n",
}
MOVED = {
    "shop/__init__.py": "",
    "shop/basket.py": PYTHON["shop/cart.py"],
    "shop/till.py": "VALUE = 1\n",
    "shop/desk.py": PYTHON["shop/desk.py"].replace("cart", "basket"),
    "main.py": "import shop.basket\nfrom shop.basket import total\n\nshop.basket.total()\nname = 'shop.basket.total'\n",
    "setup.cfg": "[entry]\nrun = shop.basket:total\n",
}


class Made:
    """A repository that the test makes, commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        who = {f"GIT_{role}_{what}": "x@y.z" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    def commit(self, files: Mapping[str, str]) -> None:
        """Commit exactly these files."""
        self.git("rm", "-rq", "--cached", "--ignore-unmatch", ".")
        for path in self.folder.rglob("*"):
            if path.is_file() and ".git" not in path.parts:
                path.unlink()
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "next")


@pytest.fixture
def made(tmp_path: Path) -> Made:
    (tmp_path / "made").mkdir()
    return Made(tmp_path / "made")


def judged(made: Made, code: str, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Commit, Real]:
    """The only commit after the first, and its real lines."""
    made.commit(before)
    made.commit(after)
    repository = Repository(made.folder)
    moves, renames = (list(repository.commits(code, of_files)) for of_files in (True, False))
    [commit] = moves or [commit for commit in renames if commit.parent]
    return commit, reality(repository, code, commit)


def test_a_moved_python_module(made: Made) -> None:
    commit, real = judged(made, "python", PYTHON, MOVED)
    assert commit.moved == {"shop/cart.py": "shop/basket.py"}
    assert set(real.code) == {("shop/desk.py", 2), ("shop/desk.py", 7), ("main.py", 1), ("main.py", 2), ("main.py", 4)}
    assert set(real.strings) == {("main.py", 5)}
    assert set(real.texts) == {("setup.cfg", 2)}


def test_a_line_that_still_names_the_same_is_not_real(made: Made) -> None:
    before = {**PYTHON, "shop/desk.py": "from . import cart, till\n", "main.py": ""}
    after = {**MOVED, "shop/desk.py": "from . import basket, till\n", "main.py": ""}
    _, real = judged(made, "python", before, after)
    assert set(real.code) == {("shop/desk.py", 1)}


def test_a_module_that_becomes_a_package_keeps_its_name(made: Made) -> None:
    before = {**PYTHON, "shop/cart/more.py": ""}
    after = {"shop/cart/__init__.py" if name == "shop/cart.py" else name: text for name, text in before.items()}
    after["main.py"] = PYTHON["main.py"].replace("shop.cart.total", "shop.cart.sum")
    commit, real = judged(made, "python", before, after)
    assert commit.moved == {"shop/cart.py": "shop/cart/__init__.py"}
    assert real.code == real.strings == {}


def test_a_name_from_another_place_is_another(made: Made) -> None:
    after = {"shop/util/cart.py" if name == "shop/cart.py" else name: text for name, text in PYTHON.items()}
    after["shop/desk.py"] = "from . import (\n    till,\n)\nfrom .util import cart\n"
    after["main.py"] = "from shop.util import cart\n"
    _, real = judged(made, "python", {**PYTHON, "main.py": "from shop import cart\n"}, after)
    assert set(real.code) == {("main.py", 1), ("shop/desk.py", 2)}


def test_a_line_that_goes_on_naming_the_old_name_is_not_real(made: Made) -> None:
    before = {**PYTHON, "shop/__init__.py": "from . import cart\n"}
    after = {**MOVED, "shop/__init__.py": "from . import cart  # for now\n"}
    commit, real = judged(made, "python", before, after)
    assert real.code
    assert ("shop/__init__.py", 1) not in real.code
    assert not replaced("python", commit, frozenset(after))
    assert replaced("python", commit, frozenset({*after, "shop/cart/__init__.py"}))
    added = commit._replace(changes=(*commit.changes, Change("", "lib/cart.py", ())))
    assert replaced("python", added, frozenset({*after, "lib/cart.py"}))


def test_a_renamed_python_function(made: Made) -> None:
    before = {
        "a.py": "def total(x):\n    return x + 1\n",
        "b.py": "from a import total\n\n# total\ntotal(2)\nx = 'total'\n",
    }
    after = {
        "a.py": "def summed(x):\n    return x + 1\n",
        "b.py": "from a import summed\n\n# summed\nsummed(2)\nx = 'summed'\n",
    }
    commit, real = judged(made, "python", before, after)
    assert [(d.file, d.line, d.old, d.new) for d in commit.defined] == [("a.py", 1, "total", "summed")]
    assert set(real.code) == {("b.py", 1), ("b.py", 4)}
    assert set(real.strings) == {("b.py", 5)}


def test_a_renamed_java_class(made: Made) -> None:
    body = "".join(f"  public int f{number}() {{ return {number}; }}\n" for number in range(9))
    before = {
        "org/a/Cart.java": f"package org.a;\n\npublic class Cart {{\n{body}}}\n",
        "org/a/Till.java": "package org.a;\n\nclass Till {\n  /** A Cart. */\n  Cart cart;\n}\n",
        "org/b/Desk.java": "package org.b;\n\nimport org.a.Cart;\n\nclass Desk {\n  Cart cart;\n  int x;\n}\n",
    }
    after = {
        "org/c/Basket.java": f"package org.c;\n\npublic class Basket {{\n{body}}}\n",
        "org/a/Till.java": "package org.a;\n\nimport org.c.Basket;\n\nclass Till {\n  /** Its. */\n  Basket cart;\n}\n",
        "org/b/Desk.java": "package org.b;\n\nimport org.c.Basket;\n\nclass Desk {\n  Basket cart;\n  int y;\n}\n",
    }
    commit, real = judged(made, "java", before, after)
    assert commit.moved == {"org/a/Cart.java": "org/c/Basket.java"}
    assert set(real.code) == {("org/a/Till.java", 5), ("org/b/Desk.java", 3), ("org/b/Desk.java", 6)}

    made.git("checkout", "-q", commit.parent)
    plan, lacking = operations(analyze(made.folder), commit, "java")
    assert plan == [
        Create("plan:1", "org", "c", "folder"),
        Move(("org/a/Cart.java",), "plan:1"),
        Rename("org/a/Cart.java", "Basket.java"),
        Rename("org/a/Cart.java::Cart", "Basket"),
    ]
    assert lacking == []
    sites = [
        Site("org/a/Cart.java", 1, "package", "must"),  # its own file is no other
        Site("org/a/Till.java", None, "add-import", "must", after=1),
        Site("org/a/Till.java", 5, "type-use", "must"),
        Site("org/b/Desk.java", 3, "import", "check"),
        Site("org/b/Desk.java", 7, "type-use", "must"),
    ]
    score = compared(Repository(made.folder), "java", commit, real, sites)
    assert (score.real, score.found, score.found_must, score.must, score.right) == (3, 2, 1, 2, 1)
    assert (score.to_add, score.add_found, score.adds) == (1, 1, 1)
    assert [miss.split()[0] for miss in score.misses] == ["only", "missed", "not"]


def test_a_moved_header(made: Made) -> None:
    header = "".join(f"int f{number}(int);\n" for number in range(9))
    before = {
        "src/list.h": header,
        "src/a.c": '#include "list.h"\n#include <stdio.h>\n',
        "b.c": '#include "src/list.h"\n',
    }
    after = {"include/list.h": header, "src/a.c": '#include "../include/list.h"\n#include <math.h>\n', "b.c": ""}
    _, real = judged(made, "c", before, after)
    assert set(real.code) == {("src/a.c", 1), ("b.c", 1)}


def test_lines_taken_out_with_the_old_name_are_no_reproach(made: Made) -> None:
    before = {
        "a.py": "def total(x):\n    return x + 1\n",
        "b.py": "from a import total\n\n\n\ny = total(3)\nz = total(4)\n",
    }
    after = {"a.py": "def summed(x):\n    return x + 1\n", "b.py": "from a import summed\n\n\n\nz = summed(4)\n"}
    commit, real = judged(made, "python", before, after)
    assert set(real.code) == {("b.py", 1), ("b.py", 6)}
    assert gone(commit) == {("a.py", 1), ("b.py", 1), ("b.py", 5), ("b.py", 6)}
    score = compared(Repository(made.folder), "python", commit, real, [Site("b.py", 5, "call", "must")])
    assert (score.must, score.right, score.found) == (1, 1, 0)


def test_a_moved_script(made: Made) -> None:
    text = "".join(f"export const f{number} = {number}\n" for number in range(9))
    before = {
        "src/list.ts": text,
        "src/a.ts": "import { f1 } from './list'\n// from './list'\nexport * from './list'\nimport './other'\n",
        "src/other.ts": "import(`x`)\nconst a = require('../src/list.js')\n",
    }
    after = {
        "src/util/list.ts": text,
        "src/a.ts": "import { f1 } from './util/list'\nexport * from './util/list'\nimport './another'\n",
        "src/other.ts": "import(`x`)\nconst a = require('../src/util/list.js')\n",
    }
    _, real = judged(made, "javascript", before, after)
    assert set(real.code) == {("src/a.ts", 1), ("src/a.ts", 3), ("src/other.ts", 2)}


def test_a_folder_of_which_every_file_went_the_same_way_moves_as_a_whole(made: Made) -> None:
    files = {f"{name}.py": f"# {name}\n" + f"{name} = 1\n" * 9 for name in ("one", "two")}
    before = {**{f"old/{name}": text for name, text in files.items()}, "old/__init__.py": "from . import one\n" * 4}
    after = {f"lib/{name.replace('old', 'new')}": text for name, text in before.items()}
    commit, _ = judged(
        made, "python", {**before, "use.py": "import old.one\n"}, {**after, "use.py": "import new.one\n"}
    )
    made.git("checkout", "-q", commit.parent)
    plan, _ = operations(analyze(made.folder), commit, "python")
    lib = next(step.node for step in plan if isinstance(step, Create))
    assert plan == [Create(lib, "", "lib", "folder"), Move(("old",), lib), Rename("old", "new")]


@pytest.mark.parametrize(
    ("code", "line", "name"),
    [
        ("python", "    async def run(self):", "run"),
        ("python", "class Cart:", "Cart"),
        ("python", "defined = 1", ""),
        ("java", "  public static <T> List<T> all(int x) {", "all"),
        ("java", "    return call(x);", ""),
        ("java", "  int size();", "size"),
        ("javascript", "export function run(x) {", "run"),
        ("javascript", "const run = async (x) => {", "run"),
        ("javascript", "  run(x) {", "run"),
        ("javascript", "  if (x) {", ""),
        ("c", "static int *run(int x)", "run"),
        ("c", "run(1);", ""),
        ("c", "  run(x) {", ""),
    ],
)
def test_lines_that_define_a_name(code: str, line: str, name: str) -> None:
    assert defined_name(code, line) == name


def test_differences_are_read() -> None:
    text = (
        "diff --git a/x.c b/y.c\nsimilarity index 90%\nrename from x.c\nrename to y.c\n--- a/x.c\n+++ b/y.c\n"
        "@@ -2 +2,2 @@ f\n--- old\n+new\n+++ more\n\\ No newline at end of file\n"
        "diff --git a/z b/z\ndeleted file mode 100644\n--- a/z\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
    )
    moved, gone = read_changes(text)
    assert (moved.old, moved.new, moved.hunks) == ("x.c", "y.c", (Hunk(2, ("-- old",), 2, ("new", "++ more")),))
    assert (gone.old, gone.new, gone.hunks) == ("z", "", (Hunk(1, ("a", "b"), 0, ()),))
