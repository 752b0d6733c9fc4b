"""Sites of plans in Python code (DND-9, NEW-9): each case by hand, as people write imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Create, Move, Remove, Rename
from cbvtool.plan.sites.python_blocks import emptied_blocks
from cbvtool.plan.sites.text import CodeText
from tests.plan.coded import Coded

MINI = {
    "pk/__init__.py": "",
    "pk/b.py": """
        def f():
            return 1


        def g():
            return f()
    """,
    "other/__init__.py": "",
    "use1.py": """
        import pk.b

        x = pk.b.f()
        y = pk.b.g()
    """,
    "use2.py": """
        from pk.b import f, g

        print(f(), g())
    """,
    "use3.py": """
        from pk import b
        import pk.b as c

        print(b.f(), c.g(), "f")  # f
    """,
    "use4.py": """
        from importlib import import_module

        module = import_module("pk.b")
        f = 3
    """,
}


@pytest.fixture
def mini(tmp_path: Path) -> Coded:
    """A package with one module, used in all ways."""
    return Coded(tmp_path, MINI)


def test_a_module_moves(mini: Coded) -> None:
    """All forms of imports, the dotted use behind `import pk.b`, and the name in a string to check."""
    assert mini.told(Move(("pk/b.py",), "other")) == [
        "check text use4.py:3",
        "must import use1.py:1",
        "must import use2.py:1",
        "must import use3.py:1",
        "must import use3.py:2",
        "must reference use1.py:3",
        "must reference use1.py:4",
    ]


def test_a_module_gets_another_name(mini: Coded) -> None:
    """What `from pk import b` binds is called otherwise, too; an alias is not."""
    told = mini.told(Rename("pk/b.py", "c.py"))
    assert "must reference use3.py:4" in told
    assert [line for line in told if "use2" in line] == ["must import use2.py:1"]
    assert [line for line in mini.told(Move(("pk/b.py",), "other")) if "use3.py:4" in line] == []


def test_a_function_gets_another_name(mini: Coded) -> None:
    """The lines that say its name, whichever way; not the string, the comment, or a variable of the same name."""
    assert mini.told(Rename("pk/b.py::f", "first")) == [
        "must call pk/b.py:6",
        "must call use1.py:3",
        "must call use2.py:3",
        "must call use3.py:4",
        "must definition pk/b.py:1",
        "must import use2.py:1",
    ]


def test_a_package_moves_with_what_lies_in_it(tmp_path: Path) -> None:
    """Relative imports inside hold, absolute ones do not; a relative import out of it does not."""
    project = Coded(
        tmp_path,
        {
            "top/__init__.py": "",
            "top/in/__init__.py": "from .a import A\n",
            "top/in/a.py": "from . import b\nfrom top.in_ import other\nfrom ..x import X\n\n\nclass A:\n    pass\n",
            "top/in/b.py": "import top.util\n\nB = 1\n",
            "top/util.py": "U = 1\n",
            "top/x.py": "X = 1\n",
            "deep/__init__.py": "",
            "use.py": "from top.util import U\n",
        },
    )
    assert project.told(Move(("top/in",), "deep")) == ["must import top/in/a.py:3"]
    assert project.told(Rename("top", "peak")) == ["must import top/in/b.py:1", "must import use.py:1"]


def test_a_root_that_moves_changes_no_import(tmp_path: Path) -> None:
    """`pk` to `src/pk`: what is imported is still called `pk`."""
    project = Coded(tmp_path, MINI)
    told = project.told(Create("plan:1", "", "src", "folder"), Move(("pk",), "plan:1"))
    assert [line for line in told if line.startswith("must")] == []


SHOP = {
    "shop/__init__.py": "from .money import Money as Money\n",
    "shop/money.py": """
        from decimal import Decimal
        from functools import cache

        __all__ = ["Money", "tax"]


        class Base:
            def name(self):
                return ""


        class Money(Base):
            def name(self):
                return Decimal(1)

            def label(self):
                return self.name()


        @cache
        def tax(money: Money):
            return money.name()
    """,
    "shop/cart.py": """
        from .money import (
            Money,
            tax,
        )

        LIMIT = 3


        def total() -> Money:
            return tax(Money())
    """,
    "shop/web.py": """
        import shop
        from shop.money import tax


        def show(thing: "shop.Money"):
            return shop.Money().label()
    """,
    "shop/all.py": """
        from shop.money import *

        m = Money()
    """,
}


@pytest.fixture
def shop(tmp_path: Path) -> Coded:
    """A package that passes a class on."""
    return Coded(tmp_path, SHOP)


def test_a_class_gets_another_name(shop: Coded) -> None:
    """Each line that says it: what packages pass on, a longer import, `__all__`, uses by the package, annotations."""
    assert shop.told(Rename("shop/money.py::Money", "Cash")) == [
        "must definition shop/money.py:12",
        "must import shop/__init__.py:1",
        "must import shop/cart.py:2",
        "must instantiate shop/all.py:3",
        "must instantiate shop/cart.py:10",
        "must instantiate shop/web.py:6",
        "must reference shop/money.py:4",
        "must type-use shop/cart.py:9",
        "must type-use shop/money.py:21",
        "must type-use shop/web.py:5",
    ]


def test_a_class_goes_to_another_file(shop: Coded) -> None:
    """Only imports that name it; the old file needs it, the new file needs what it uses, and drops its own import."""
    assert shop.told(Move(("shop/money.py::Money",), "shop/cart.py")) == [
        "check drop-import shop/money.py:1 Decimal",
        "must add-import shop/all.py+1 Money",
        "must add-import shop/cart.py+4 Base, Decimal",
        "must add-import shop/money.py+2 Money",
        "must drop-import shop/cart.py:2 Money",
        "must import shop/__init__.py:1",
        "must reference shop/money.py:4",
    ]


def test_a_method_gets_another_name(shop: Coded) -> None:
    """Methods that override it have its name; `self.name()` in classes below means it."""
    told = shop.told(Rename("shop/money.py::Base.name", "title"))
    assert [line for line in told if line.startswith("must")] == [
        "must call shop/money.py:17",
        "must call shop/money.py:22",
        "must definition shop/money.py:13",
        "must definition shop/money.py:8",
    ]


def test_a_function_is_removed(shop: Coded) -> None:
    """Imports and calls of it; not what goes with it."""
    assert shop.told(Remove(("shop/money.py::tax",))) == [
        "must call shop/cart.py:10",
        "must import shop/cart.py:3",
        "must import shop/web.py:2",
        "must reference shop/money.py:4",
    ]


def test_entry_points_and_documentation_are_to_be_checked(tmp_path: Path) -> None:
    """The line of pyproject.toml, the one of the documentation; neither the change log nor a mere word."""
    project = Coded(
        tmp_path,
        {
            "pyproject.toml": '[project]\nname = "app"\n\n[project.scripts]\napp = "app.cli:main"\n',
            "CHANGES.md": "app.cli is new\n",
            "docs/index.md": "Call it.\n\nSee `app.cli` for the cli, in src/app/cli.py.\n",
            "src/app/__init__.py": "",
            "src/app/cli.py": "def main():\n    pass\n",
            "src/app/sub/__init__.py": "",
            "src/app/use.py": "from .cli import main\n# app.cli is a comment\n",
        },
    )
    assert project.told(Move(("src/app/cli.py",), "src/app/sub")) == [
        "check text docs/index.md:3",
        "check text pyproject.toml:5",
        "must import src/app/use.py:1",
    ]


def test_what_is_to_be_checked_never_swamps(tmp_path: Path) -> None:
    """However often a text names a module, no more is to be checked than must change, or a few."""
    project = Coded(
        tmp_path,
        {
            "pk/__init__.py": "",
            "pk/a.py": "A = 1\n",
            "pk/sub/__init__.py": "",
            "use.py": "from pk.a import A\n",
            "docs.md": "pk.a\n" * 200,
        },
    )
    assert sum(site.certainty == "check" for site in project.sites(Move(("pk/a.py",), "pk/sub"))) == 3


def test_fixtures_are_used_by_parameters(tmp_path: Path) -> None:
    """pytest gives a fixture of conftest.py to whoever has a parameter of its name, below the folder."""
    project = Coded(
        tmp_path,
        {
            "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef shop():\n    return 1\n",
            "tests/test_a.py": "def test_a(shop):\n    assert shop\n",
            "lib.py": "def total(shop):\n    return shop\n",
        },
    )
    assert project.told(Rename("tests/conftest.py::shop", "store")) == [
        "must definition tests/conftest.py:5",
        "must reference tests/test_a.py:1",
        "must reference tests/test_a.py:2",
    ]


def test_a_package_outside_is_given_up(tmp_path: Path) -> None:
    """Whoever imports it must change; to move the importer changes nothing for it."""
    project = Coded(tmp_path, {"pk/__init__.py": "", "a.py": "import os\nimport numpy as np\n\nx = np.zeros(3)\n"})
    (outside,) = [node for node in project.graph.ids if node.endswith("numpy")]
    assert project.told(Remove((outside,))) == ["must import a.py:2"]
    assert project.told(Move(("a.py",), "pk")) == []


def test_without_the_code_the_relations_say_what_they_can(mini: Coded) -> None:
    """A saved graph has no text: imports and uses by their relations, what only the text could tell is to check."""
    told = mini.told(Rename("pk/b.py::f", "first"), blind=True)
    assert {"must call use1.py:3", "must call use2.py:3", "must definition pk/b.py:1"} <= set(told)
    assert "check import use2.py:1" in told
    told = mini.told(Move(("pk/b.py",), "other"), blind=True)
    assert {"must import use1.py:1", "must import use2.py:1", "must import use3.py:1"} <= set(told)


TYPED = {
    "utils.py": """
        from __future__ import annotations

        from typing import TYPE_CHECKING

        if TYPE_CHECKING:  # pragma: no cover
            # the only one
            from urls import (
                URL,
            )


        class Pattern:
            def match(self, url: URL) -> Pattern:
                return self


        def plain():
            return TYPE_CHECKING
    """,
    "urls.py": """
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from utils import Pattern


        class URL:
            def find(self, pattern: "Pattern"):
                return pattern
    """,
    "both.py": """
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from urls import URL
            from utils import plain


        class Both:
            url: "URL"


        done: "plain"
    """,
}


def test_a_new_file_begins_as_the_old_one_does(tmp_path: Path) -> None:
    """DND-9: without `from __future__ import annotations` the names in annotations would be looked up too early."""
    told = Coded(tmp_path, TYPED).told(Create("plan:1", "", "new.py", "file"), Move(("utils.py::Pattern",), "plan:1"))
    assert "must add-import new.py+0 URL, __future__.annotations" in told


def test_a_block_in_which_no_import_is_left_goes(tmp_path: Path) -> None:
    """DND-9: an empty `if TYPE_CHECKING:` is no Python, so that its own line is named as well."""
    coded = Coded(tmp_path, TYPED)
    into_new = coded.told(Create("plan:1", "", "new.py", "file"), Move(("utils.py::Pattern",), "plan:1"))
    assert [line for line in into_new if "drop-import utils" in line] == [
        "check drop-import utils.py:5 if TYPE_CHECKING:",
        "check drop-import utils.py:8 URL",
    ]
    into_user = coded.told(Move(("utils.py::Pattern",), "urls.py"))
    assert [line for line in into_user if "drop-import urls" in line] == [
        "must drop-import urls.py:3 if TYPE_CHECKING:",
        "must drop-import urls.py:4 Pattern",
    ]
    other = coded.told(Create("plan:1", "", "new.py", "file"), Move(("both.py::Both",), "plan:1"))
    assert [line for line in other if "drop-import both" in line] == []  # `URL` stands in a string


def test_a_block_with_something_left_stays() -> None:
    """Two imports, a branch that stays, one behind the other, one line: nothing more than what is empty."""
    lines = [
        "if A:",
        "    import a",
        "    import b",
        "try:",
        "    import c",
        "except E:",
        "    d = 1",
        "if B: import e",
    ]
    text = CodeText("x.py", lines)
    assert list(emptied_blocks(text, [2])) == []
    assert list(emptied_blocks(text, [2, 3])) == [(1, "if A:")]
    assert list(emptied_blocks(text, [5])) == [(4, "try:")]
    assert list(emptied_blocks(text, [8])) == []
    nested = CodeText("x.py", ["if A:", "    if B:", "        import a", "", "x = 1"])
    assert list(emptied_blocks(nested, [3])) == [(2, "if B:"), (1, "if A:")]


TOGETHER = {
    "pk/__init__.py": """
        from .models import *
    """,
    "pk/models.py": """
        import ipaddress
        import re

        __all__ = ["Headers", "Model"]

        SECRET = {"authorization"}
        SHARED = re.compile("a")


        def hide(text):
            return None if text in SECRET else SHARED.sub("", text)


        def is_address(text):
            return ipaddress.ip_address(text)


        class Headers:
            def shown(self):
                return hide("a"), is_address("b")


        class Model:
            headers = Headers()
            pattern = SHARED
    """,
}


def test_parts_that_move_together_need_no_import_of_each_other(tmp_path: Path) -> None:
    """What goes along is neither imported nor asked back; an import that only they use goes, be they several."""
    project = Coded(tmp_path, TOGETHER)
    together = ("hide", "is_address", "Headers")
    told = project.told(
        Create("plan:1", "pk", "headers.py", "file"), *(Move((f"pk/models.py::{name}",), "plan:1") for name in together)
    )
    assert told == [
        "check drop-import pk/models.py:1 ipaddress",
        "must add-import pk/__init__.py+1 Headers",
        "must add-import pk/headers.py+0 SHARED",
        "must add-import pk/headers.py+0 ipaddress",
        "must add-import pk/models.py+2 Headers",
        "must definition pk/models.py:6",
        "must reference pk/models.py:4",
    ]


def test_a_name_that_is_assigned_goes_along_or_is_imported(tmp_path: Path) -> None:
    """What only moved code uses has a line; what stays in use is imported, as is what goes to another file."""
    project = Coded(tmp_path, TOGETHER)
    alone = project.told(Create("plan:1", "pk", "hidden.py", "file"), Move(("pk/models.py::hide",), "plan:1"))
    assert alone == [
        "must add-import pk/hidden.py+0 SHARED",
        "must add-import pk/models.py+2 hide",
        "must definition pk/models.py:6",
    ]
    apart = project.told(
        Create("plan:1", "pk", "hidden.py", "file"),
        Create("plan:2", "pk", "model.py", "file"),
        Move(("pk/models.py::hide",), "plan:1"),
        Move(("pk/models.py::Model",), "plan:2"),
    )
    assert "must add-import pk/hidden.py+0 SHARED" in apart
    assert "must add-import pk/model.py+0 Headers, SHARED" in apart


def test_a_package_passes_on_only_what_a_star_takes(tmp_path: Path) -> None:
    """`from .m import *` in a package: a public class has to be imported anew, a private one was never there."""
    files = {"pk/__init__.py": "from .m import *\n", "pk/m.py": "class A:\n    pass\n\n\nclass _B:\n    pass\n"}
    project = Coded(tmp_path, {**files, "pk/n.py": "x = 1\n"})
    assert project.told(Move(("pk/m.py::A",), "pk/n.py")) == ["must add-import pk/__init__.py+1 A"]
    assert project.told(Move(("pk/m.py::_B",), "pk/n.py")) == []


@pytest.mark.parametrize("name", ["data_import", "importer", "reimport", "import_", "from_import"])
def test_a_module_may_be_called_like_the_keyword(tmp_path: Path, name: str) -> None:
    """NEW-9: `import` within a name is no keyword."""
    user = f"from tools.{name} import (\n    first,\n    second,\n)\nimport tools.{name}\n"
    project = Coded(tmp_path, {"tools/__init__.py": "", f"tools/{name}.py": "first = second = 1\n", "use.py": user})
    assert project.told(Move((f"tools/{name}.py",), "")) == ["must import use.py:1", "must import use.py:5"]
