"""Sites of plans in Java, Kotlin and Scala code (DND-9, NEW-9): each case by hand, as people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Create, Move, Remove, Rename
from cbvtool.plan.sites.java import unit_of
from tests.plan.coded import Coded

SHOP = {
    "src/org/shop/Cart.java": """
        package org.shop;

        import org.desk.Table;

        public class Cart {
            private Till till;
            private Table table;
            public static int total() { return 1; }
            public static class Item { }
        }
    """,
    "src/org/shop/Till.java": """
        package org.shop;

        class Till {
            /** A Cart. */
            Cart cart = new Cart();
            Cart.Item item;
        }
    """,
    "src/org/desk/Table.java": """
        package org.desk;

        public class Table { }
    """,
    "src/org/desk/Desk.java": """
        package org.desk;

        import java.util.List;
        import org.shop.Cart;
        import org.shop.Cart.Item;
        import static org.shop.Cart.total;

        class Desk {
            Cart cart;
            Item item;
            int sum = total();
        }
    """,
    "src/org/yard/Yard.java": """
        package org.yard;

        import org.shop.*;

        class Yard {
            Cart cart;
        }
    """,
    "src/org/yard/Full.java": """
        package org.yard;

        class Full {
            org.shop.Cart cart;
            String name = "org.shop.Cart";
        }
    """,
    "src/org/yard/Other.java": """
        package org.yard;

        import org.other.Cart;

        class Other {
            Cart cart;
        }
    """,
}


@pytest.fixture
def shop(tmp_path: Path) -> Coded:
    """A class used from its package, by imports of three kinds, and by its full name."""
    return Coded(tmp_path, SHOP)


def test_a_class_moves_to_another_package(shop: Coded) -> None:
    """Who saw it without an import needs one, and so does it; in its new package the import is superfluous."""
    assert shop.told(Move(("src/org/shop/Cart.java",), "src/org/desk")) == [
        "check definition src/org/shop/Till.java:3",
        "check drop-import src/org/shop/Cart.java:3 org.desk.Table",
        "check text src/org/yard/Full.java:5",
        "must add-import src/org/shop/Cart.java+3 org.shop.Till",
        "must add-import src/org/shop/Till.java+1 org.desk.Cart",
        "must add-import src/org/yard/Yard.java+3 org.desk.Cart",
        "must drop-import src/org/desk/Desk.java:4 org.shop.Cart",
        "must import src/org/desk/Desk.java:5",
        "must import src/org/desk/Desk.java:6",
        "must package src/org/shop/Cart.java:1",
        "must type-use src/org/yard/Full.java:4",
    ]


def test_a_class_that_only_its_package_sees_must_be_public_elsewhere(shop: Coded) -> None:
    plan = Move(("src/org/shop/Till.java",), "src/org/yard")
    assert shop.told(plan) == [
        "check definition src/org/shop/Till.java:3",
        "must add-import src/org/shop/Cart.java+3 org.yard.Till",
        "must add-import src/org/shop/Till.java+1 org.shop.Cart",
        "must package src/org/shop/Till.java:1",
    ]


def test_a_class_gets_another_name(shop: Coded) -> None:
    """All lines that mean it, not those that mean another class of that name; the file is to be renamed, too."""
    plan = Rename("src/org/shop/Cart.java::Cart", "Basket")
    assert shop.told(plan) == [
        "check text src/org/yard/Full.java:5",
        "must definition src/org/shop/Cart.java:5",
        "must import src/org/desk/Desk.java:4",
        "must import src/org/desk/Desk.java:5",
        "must import src/org/desk/Desk.java:6",
        "must instantiate src/org/shop/Till.java:5",
        "must type-use src/org/desk/Desk.java:9",
        "must type-use src/org/shop/Till.java:6",
        "must type-use src/org/yard/Full.java:4",
        "must type-use src/org/yard/Yard.java:6",
    ]
    [definition] = [site for site in shop.sites(plan) if site.kind == "definition"]
    assert definition.names == ("Basket.java", "Cart")


def test_a_file_gets_another_name_and_so_does_its_class(shop: Coded) -> None:
    """A public class is called like its file."""
    by_file = shop.told(Rename("src/org/shop/Cart.java", "Basket.java"))
    by_class = shop.told(Rename("src/org/shop/Cart.java::Cart", "Basket"))
    assert [line for line in by_file if line in by_class] == by_class


def test_a_whole_package_moves(shop: Coded) -> None:
    """Imports of all that is in it change; what lies in it needs none."""
    assert shop.told(Create("plan:1", "src", "net", "folder"), Move(("src/org/shop",), "plan:1")) == [
        "check text src/org/yard/Full.java:5",
        "must import src/org/desk/Desk.java:4",
        "must import src/org/desk/Desk.java:5",
        "must import src/org/desk/Desk.java:6",
        "must import src/org/yard/Yard.java:3",
        "must package src/org/shop/Cart.java:1",
        "must package src/org/shop/Till.java:1",
        "must type-use src/org/yard/Full.java:4",
    ]


def test_a_root_of_sources_moves_and_no_package_changes(shop: Coded) -> None:
    assert shop.told(Create("plan:1", "", "main", "folder"), Move(("src/org",), "plan:1")) == []


def test_a_class_is_removed(shop: Coded) -> None:
    """Its imports go, and what meant it must be written otherwise."""
    told = shop.told(Remove(("src/org/shop/Cart.java",)))
    assert {"must drop-import src/org/desk/Desk.java:4 org.shop.Cart", "must type-use src/org/desk/Desk.java:9"} <= {
        *told
    }
    assert "must type-use src/org/yard/Yard.java:6" in told


def test_a_nested_class_gets_another_name(shop: Coded) -> None:
    assert shop.told(Rename("src/org/shop/Cart.java::Cart.Item", "Entry")) == [
        "must definition src/org/shop/Cart.java:9",
        "must import src/org/desk/Desk.java:5",
        "must type-use src/org/desk/Desk.java:10",
        "must type-use src/org/shop/Till.java:6",
    ]


def test_a_static_method_gets_another_name(shop: Coded) -> None:
    assert shop.told(Rename("src/org/shop/Cart.java::Cart.total", "sum")) == [
        "must call src/org/desk/Desk.java:11",
        "must definition src/org/shop/Cart.java:8",
        "must import src/org/desk/Desk.java:6",
    ]


METHODS = {
    "a/Shape.java": """
        package a;

        public interface Shape {
            int area(int scale);
            int area(int scale, String unit);
        }
    """,
    "a/Circle.java": """
        package a;

        public class Circle implements Shape {
            @Override
            public int area(int scale) { return 1; }
            public int area(int scale, String unit) { return area(scale); }
        }
    """,
    "b/Use.java": """
        package b;

        import a.Shape;

        class Use {
            int use(Shape shape) {
                // area(1)
                return shape.area(1) + shape.area(f(1, 2), "(m") + java.util.Map.of(1, 2).size();
            }
            int more(Shape shape) {
                return shape.area(
                    2);
            }
        }
    """,
    "c/Other.java": """
        package c;

        class Other {
            int area(int scale) { return 2; }
        }
    """,
}


def test_a_method_is_renamed_with_those_that_override_it_and_without_overloads(tmp_path: Path) -> None:
    """The number of parameters tells one from the other."""
    code = Coded(tmp_path, METHODS)
    told = code.told(Rename("a/Shape.java::Shape.area", "size"))
    assert [line for line in told if line.startswith("must")] == [
        "must call a/Circle.java:6",
        "must call b/Use.java:11",
        "must call b/Use.java:8",
        "must definition a/Circle.java:5",
        "must definition a/Shape.java:4",
    ]
    assert not any("c/Other.java" in line for line in told)
    two = code.told(Rename("a/Shape.java::Shape.area#2", "size"))
    assert [line for line in two if line.startswith("must")] == [
        "must call b/Use.java:8",
        "must definition a/Circle.java:6",
        "must definition a/Shape.java:5",
    ]


def test_a_class_without_a_package_gets_one(tmp_path: Path) -> None:
    files = {"Main.java": "class Main { }\n", "a/b/One.java": "package a.b;\n\nclass One { }\n"}
    assert Coded(tmp_path, files).told(Move(("Main.java",), "a/b")) == ["must package Main.java+0"]


def test_kotlin_and_scala_have_the_same_packages(tmp_path: Path) -> None:
    """Functions at the top of a file are seen like classes; Scala names several at once, and calls them otherwise."""
    files = {
        "src/a/Cart.kt": "package a\n\nclass Cart\n\nfun total() = 1\n",
        "src/a/Till.kt": "package a\n\nval x = total()\nval cart = Cart()\n",
        "src/b/Desk.kt": "package b\n\nimport a.Cart as C\nimport a.total\n\nval y = total()\nval c = C()\n",
        "src/b/Yard.scala": "package b\n\nimport a.{Cart, Other => O}\n\nclass Yard(cart: Cart)\n",
        "src/c/Keep.kt": "package c\n",
    }
    code = Coded(tmp_path, files)
    told = code.told(Move(("src/a/Cart.kt",), "src/c"))
    assert {
        "must package src/a/Cart.kt:1",
        "must add-import src/a/Till.kt+1 c.Cart, c.total",
        "must import src/b/Desk.kt:3",
        "must import src/b/Desk.kt:4",
        "must import src/b/Yard.scala:3",
    } <= {*told}


def test_the_head_of_a_file() -> None:
    unit = unit_of("package a.b;\nimport x.Y;\nimport static x.Y.*;\nimport x.{A, B => C, _}\nclass D {}\n")
    assert (unit.package, unit.line, unit.after) == ("a.b", 1, 4)
    assert [(item.line, item.name, item.local) for item in unit.imports] == [
        (2, "x.Y", "Y"),
        (3, "x.Y", ""),
        (4, "x.A", "A"),
        (4, "x.B", "C"),
        (4, "x", ""),
    ]
