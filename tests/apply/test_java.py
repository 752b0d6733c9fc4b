"""Java files that go to other packages: what is written anew, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from cbvtool.apply.languages import relocated
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.stopped import Stopped
from cbvtool.cli import DONE, FINDINGS, main
from cbvtool.plan import Create, Group, Move, Operation, Rename
from cbvtool.plan.document import Document, Plan, write_document
from tests.test_project import committed, git

A, B = "src/main/java/org/a/", "src/main/java/org/b/"
CART = {f"{A}Cart.java": "package org.a;\n\npublic class Cart {\n    public Item first;\n}\n"}
ITEM = {f"{A}Item.java": "package org.a;\n\npublic class Item {\n}\n"}
SHOP = {**CART, **ITEM, f"{B}Other.java": "package org.b;\n\npublic class Other {\n}\n"}
CART_TO_B = {f"{A}Cart.java": f"{B}Cart.java"}
Files = Mapping[str, str]


def moved(files: Files, places: Mapping[str, str | None]) -> dict[str, str]:
    tree = FileTree(frozenset(files), {path: text.encode() for path, text in files.items()})
    return {path: content.decode() for path, content in relocated(tree, places).tree.contents.items()}


def test_what_moves_imports_what_it_leaves() -> None:
    """NEW-4: the package line, and an import of what was seen without one."""
    found = moved(SHOP, CART_TO_B)
    assert found[f"{B}Cart.java"] == SHOP[f"{A}Cart.java"].replace("org.a;\n", "org.b;\n\nimport org.a.Item;\n")
    assert found[f"{A}Item.java"] == SHOP[f"{A}Item.java"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class Use { Cart c; }\n", "import org.b.Cart;\n\nclass Use { Cart c; }\n"),
        (
            "import java.util.List;\n\nclass Use { Cart c; }\n",
            "import java.util.List;\nimport org.b.Cart;\n\nclass Use { Cart c; }\n",
        ),
        ("import x.Y;\n\nclass Use { Cart c; }\n", "import org.b.Cart;\nimport x.Y;\n\nclass Use { Cart c; }\n"),
        ("import org.a.Cart; // mine\nclass Use { Cart c; }\n", "import org.b.Cart; // mine\nclass Use { Cart c; }\n"),
        ("import static org.a.Cart.first;\nclass Use {}\n", "import static org.b.Cart.first;\nclass Use {}\n"),
        ("import static org.a.Cart.*;\nclass Use {}\n", "import static org.b.Cart.*;\nclass Use {}\n"),
        ("class Use { org.a.Cart c = org.a.Cart.make(); }\n", "class Use { org.b.Cart c = org.b.Cart.make(); }\n"),
        ("@org.a.Cart class Use {}\n", "@org.b.Cart class Use {}\n"),
        (
            "class Use { Object c = (Cart) null; Cart[] d; }\n",
            "import org.b.Cart;\n\nclass Use { Object c = (Cart) null; Cart[] d; }\n",
        ),
        ("class Use { Object c = Cart.make(); }\n", "import org.b.Cart;\n\nclass Use { Object c = Cart.make(); }\n"),
        ("class Use { class Cart {} Cart c; }\n", "class Use { class Cart {} Cart c; }\n"),
        ("class Use<Cart> { Cart c; }\n", "class Use<Cart> { Cart c; }\n"),
        (
            "/** See {@link Cart#first}, {@link org.a.Cart}. */\nclass Use {}\n",
            "/** See {@link org.b.Cart#first}, {@link org.b.Cart}. */\nclass Use {}\n",
        ),
        (
            '// org.a.Cart\nclass Use { String s = "org.a.Cart"; }\n',
            '// org.a.Cart\nclass Use { String s = "org.a.Cart"; }\n',
        ),
    ],
)
def test_what_names_a_type_that_moves(before: str, after: str) -> None:
    """NEW-4: imports, static ones and full names, types seen without an import, links; other names are left alone."""
    files = {**SHOP, f"{A}Use.java": f"package org.a;\n\n{before}"}
    assert moved(files, CART_TO_B)[f"{A}Use.java"] == f"package org.a;\n\n{after}"


def test_who_lies_in_the_new_package_needs_no_import() -> None:
    """NEW-4: the import of what comes into its own package is dropped; line ends and the rest stay."""
    text = "package org.b;\r\n\r\nimport java.util.List;\r\nimport org.a.Cart;\r\n\r\nclass Use { Cart c; } // ü\r\n"
    found = moved({**SHOP, f"{B}Use.java": text}, CART_TO_B)
    assert found[f"{B}Use.java"] == text.replace("import org.a.Cart;\r\n", "")


def test_a_package_that_gets_another_name() -> None:
    """NEW-4: all of it goes along, imports on demand and what the module exports too."""
    files = {
        **SHOP,
        "src/main/java/module-info.java": "module shop {\n    exports org.a;\n    uses org.a.Cart;\n}\n",
        f"{B}Use.java": "package org.b;\n\nimport org.a.*;\n\nclass Use { Cart c; }\n",
        "src/main/resources/META-INF/services/java.lang.Runnable": "org.a.Cart # first\norg.b.Other\n",
    }
    places = {path: path.replace("/org/a/", "/org/core/") for path in files if path.startswith(A)}
    found = moved(files, places)
    assert found["src/main/java/module-info.java"] == files["src/main/java/module-info.java"].replace(".a", ".core")
    assert found[f"{B}Use.java"] == files[f"{B}Use.java"].replace("org.a", "org.core")
    assert found["src/main/java/org/core/Cart.java"] == files[f"{A}Cart.java"].replace("org.a", "org.core")
    assert found["src/main/resources/META-INF/services/java.lang.Runnable"] == "org.core.Cart # first\norg.b.Other\n"


def test_what_an_import_on_demand_showed() -> None:
    """NEW-4: a file that imports all of a package imports what leaves it; one that hides it is told apart."""
    files = {**SHOP, f"{B}Use.java": "package org.c;\n\nimport org.a.*;\n\nclass Use { Cart c; Item i; }\n"}
    found = moved(files, CART_TO_B)
    assert "import org.a.*;\nimport org.b.Cart;\n" in found[f"{B}Use.java"]


def test_types_that_swap_their_packages() -> None:
    """NEW-4: chains and swaps."""
    files = {**SHOP, f"{A}Use.java": "package org.a;\n\nimport org.b.Other;\n\nclass Use { Cart c; Other o; }\n"}
    found = moved(files, {**CART_TO_B, f"{B}Other.java": f"{A}Other.java"})
    assert found[f"{A}Use.java"] == "package org.a;\n\nimport org.b.Cart;\n\nclass Use { Cart c; Other o; }\n"


@pytest.mark.parametrize(
    ("files", "places", "reason"),
    [
        ({}, {f"{A}Cart.java": f"{A}Basket.java"}, "named after the type Cart"),
        ({}, {f"{A}Cart.java": "src/test/java/org/a/Cart.java"}, "would leave the source folder"),
        ({}, {f"{A}Cart.java": "src/main/java/Cart.java"}, "unnamed package"),
        ({}, {f"{A}Cart.java": "src/main/java/org/new/Cart.java"}, "new is no name"),
        ({}, {f"{A}Cart.java": None, f"{A}Item.java": f"{B}Item.java"}, ""),
        ({f"{A}Use.java": "package org.a;\nclass Use { Cart c; }\n"}, {f"{A}Cart.java": None}, "would be gone"),
        ({f"{A}Item.java": "package org.a;\nclass Item {\n}\n"}, CART_TO_B, "make it public first"),
        ({f"{B}Cart.java": "package org.b;\nclass Cart {}\n"}, {f"{A}Cart.java": f"{B}sub/Cart.java"}, ""),
        ({f"{B}Two.java": "package org.b;\nclass Cart {}\n"}, CART_TO_B, "has a type Cart already"),
        ({"x/Cart.java": "package org.a;\nclass Cart {}\n"}, CART_TO_B, "both declare org.a.Cart"),
        (
            {
                f"{B}Integer.java": "package org.b;\npublic class Integer {}\n",
                f"{A}Cart.java": "package org.a;\nclass Cart { Integer i; }\n",
            },
            CART_TO_B,
            "would hide it",
        ),
        (
            {
                f"{A}Cart.java": "package org.a;\npublic class Cart { void go(int i) {} }\n",
                f"{A}Use.java": "package org.a;\nclass Use { void f(Cart c) { c.go(1); } }\n",
            },
            CART_TO_B,
            "may use Cart.go",
        ),
        (
            {
                f"{A}Cart.java": "package org.a;\npublic class Cart { Cart() {} }\n",
                f"{A}Use.java": "package org.a;\nclass Use { Object o = new Cart(); }\n",
            },
            CART_TO_B,
            "may use Cart.Cart",
        ),
        (
            {
                f"{A}Cart.java": "package org.a;\npublic class Cart { protected int n; }\n",
                f"{A}Use.java": "package org.a;\nclass Use { int f(Cart c) { return c.n; } }\n",
            },
            CART_TO_B,
            "may use Cart.n",
        ),
        (
            {
                f"{A}Cart.java": "package org.a;\npublic sealed class Cart permits Sub {}\n",
                f"{A}Sub.java": "package org.a;\nfinal class Sub extends Cart {}\n",
            },
            CART_TO_B,
            "sealed",
        ),
        (
            {"src/main/java/module-info.java": "module m { exports org.a; }\n"},
            CART_TO_B,
            "exports org.a, and not org.b",
        ),
        ({"META-INF/services/org.a.Cart": "org.b.Other\n"}, CART_TO_B, "is named after org.a.Cart"),
        ({"src/main/kotlin/Use.kt": "import org.a.Cart\n"}, CART_TO_B, "is not Java"),
    ],
)
def test_what_is_refused(files: Files, places: Mapping[str, str | None], reason: str) -> None:
    """NEW-4: said before anything is written; an empty reason = nothing is against it."""
    if not reason:
        moved({**SHOP, **files}, places)
        return
    with pytest.raises(Stopped, match=reason):
        moved({**SHOP, **files}, places)


def test_members_that_others_do_not_use() -> None:
    """NEW-4: a name that means something else is no reason to refuse."""
    cart = "package org.a;\npublic class Cart { void add(int i) {} }\n"
    use = "package org.a;\nclass Use { void f(java.util.List<String> l, Cart c) { l.add(1); } }\n"
    found = moved({**ITEM, f"{A}Cart.java": cart, f"{A}Use.java": use, f"{B}O.java": "package org.b;\n"}, CART_TO_B)
    assert "import org.b.Cart;" in found[f"{A}Use.java"]


def test_a_type_that_nobody_else_can_have_a_value_of() -> None:
    """NEW-4: where no member tells of a type, no call on an unknown value is one on it."""
    cart = "package org.a;\npublic class Cart {\n    private Part part;\n    static class Part { void go() {} }\n}\n"
    use = "package org.a;\nclass Use { void f() { make().go(); } Object make() { return new Cart(); } }\n"
    found = moved({**ITEM, f"{A}Cart.java": cart, f"{A}Use.java": use, f"{B}O.java": "package org.b;\n"}, CART_TO_B)
    assert "import org.b.Cart;" in found[f"{A}Use.java"]
    told = cart.replace("private Part part;", "public Part make() { return part; }")
    with pytest.raises(Stopped, match=r"may use Cart\.Part\.go"):
        moved({**ITEM, f"{A}Cart.java": told, f"{A}Use.java": use}, CART_TO_B)


@pytest.fixture
def subject(tmp_path: Path) -> Path:
    folder = tmp_path / "subject"
    files = {
        **SHOP,
        f"{B}Use.java": "package org.b;\n\nimport org.a.Cart;\n\nclass Use { Cart c; }\n",
        "pom.xml": "<mainClass>org.a.Cart</mainClass>\n",
    }
    committed(folder, files)
    return folder


def plan(subject: Path, *operations: Operation) -> str:
    file = subject.parent / "plan.cbv"
    groups = tuple(Group(str(number), (operation,)) for number, operation in enumerate(operations))
    write_document(Document(subject, "subject", "", (Plan("Plan 1", groups),)), file)
    return str(file)


def test_a_plan_with_java(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: one commit for each task, the graph as planned, other texts listed."""
    steps = (
        Create("plan:1", A.rstrip("/"), "core", "package"),
        Move((f"{A}Item.java",), "plan:1"),
        Move((f"{A}Cart.java",), B.rstrip("/")),
        Rename(B.rstrip("/"), "kit"),
    )
    assert main(["plan", "apply", plan(subject, *steps), "--to", "new", "--jobs", "1", "--format", "json"]) == DONE
    report = json.loads(capsys.readouterr().out)
    assert report["proof"]["holds"]
    assert [(line["file"], line["reason"]) for line in report["by_hand"]] == [
        ("pom.xml", "names org.a.Cart, which is called otherwise now")
    ]
    git(subject, "checkout", "-q", "new")
    assert (subject / "src/main/java/org/kit/Use.java").read_text() == "package org.kit;\n\n\nclass Use { Cart c; }\n"
    assert (
        (subject / "src/main/java/org/kit/Cart.java")
        .read_text()
        .startswith("package org.kit;\n\nimport org.a.core.Item;\n")
    )


def test_no_class_stays_under_an_old_name(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: --forward is refused with a reason."""
    steps = plan(subject, Move((f"{A}Cart.java",), B.rstrip("/")))
    assert main(["plan", "apply", steps, "--to", "new", "--jobs", "1", "--forward"]) == FINDINGS
    assert "a class under its old name would be another class" in capsys.readouterr().out
