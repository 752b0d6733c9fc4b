"""Sites of plans in Go code (DND-9, NEW-9): packages are folders, and names are said with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Create, Move, Rename
from tests.plan.coded import Coded


@pytest.fixture
def app(tmp_path: Path) -> Coded:
    """A package of two files, and one that uses it."""
    return Coded(
        tmp_path,
        {
            "go.mod": "module example.com/app\n",
            "store/a.go": """
                package store

                func Open() int { return helper() }

                type Thing struct{ N int }

                func (t Thing) SizeOf() int { return t.N }
            """,
            "store/b.go": """
                package store

                func helper() int { return 1 }

                func Use() int { return Open() }
            """,
            "web/w.go": """
                package web

                import (
                    "fmt"

                    "example.com/app/store"
                )

                func Show() {
                    t := store.Thing{N: 1}
                    fmt.Println(store.Open(), t.SizeOf())
                }
            """,
        },
    )


def test_a_package_gets_another_folder(app: Coded) -> None:
    """Import lines alone: the package calls itself as before."""
    assert app.told(Rename("store", "shelf")) == ["must import web/w.go:6"]


def test_a_file_goes_to_another_package(app: Coded) -> None:
    """Its package line, what it needs of the old package, and who used it in either way."""
    told = app.told(Create("plan:1", "", "kept", "folder"), Move(("store/a.go",), "plan:1"))
    assert told == [
        "must add-import store/a.go+1 store",
        "must add-import store/b.go+1 kept",
        "must add-import web/w.go+6 kept",
        "must call store/a.go:3",
        "must call store/b.go:5",
        "must call web/w.go:11",
        "must drop-import web/w.go:6 store",
        "must instantiate web/w.go:10",
        "must package store/a.go:1",
    ]


def test_names(app: Coded) -> None:
    """A function is said with its package elsewhere, and without it inside; a method by its own name."""
    assert app.told(Rename("store/a.go::Open", "Begin")) == [
        "must call store/b.go:5",
        "must call web/w.go:11",
        "must definition store/a.go:3",
    ]
    assert app.told(Rename("store/a.go::Thing.SizeOf", "Length")) == [
        "must call web/w.go:11",
        "must definition store/a.go:7",
    ]


def test_within_a_package_a_file_moves_freely(app: Coded) -> None:
    """A function that goes to a neighbour file changes nothing for anybody."""
    assert app.told(Move(("store/a.go::Open",), "store/b.go")) == []
