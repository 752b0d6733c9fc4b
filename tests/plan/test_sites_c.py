"""Sites of plans in C and C++ code (DND-9, NEW-9): includes by their path, names that all files see."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Create, Move, Rename
from tests.plan.coded import Coded


@pytest.fixture
def lists(tmp_path: Path) -> Coded:
    """A list with its header, users beside it and elsewhere, a makefile, and another `helper` in another file."""
    return Coded(
        tmp_path,
        {
            "src/list.h": """
                #ifndef LIST_H
                #define LIST_H
                typedef struct list { int n; } list;
                list *listCreate(void);
                void listFree(list *l);
                #endif
            """,
            "src/list.c": """
                #include "list.h"
                #include <stdlib.h>

                static int helper(void) { return 1; }

                list *listCreate(void) { helper(); return 0; }

                void listFree(list *l) { }
            """,
            "src/main.c": """
                #include "list.h"

                static int helper(void) { return 2; }

                int main(void) {
                    list *l = listCreate();  /* listCreate() */
                    list *(*make)(void) = listCreate;
                    helper();
                    return l->listCreate;
                }
            """,
            "tests/test.c": """
                #include "../src/list.h"
                #include <list.h>

                int test(void) { return listCreate() != 0; }
            """,
            "src/Makefile": "OBJ=main.o list.o\n\nlist.o: list.c list.h\n",
        },
    )


def test_a_header_moves(lists: Coded) -> None:
    """Includes whose written path leads nowhere now, the header's own source too, and the makefile to check."""
    told = lists.told(Create("plan:1", "src", "util", "folder"), Move(("src/list.h",), "plan:1"))
    assert [line for line in told if line.startswith("must")] == [
        "must include src/list.c:1",
        "must include src/main.c:1",
        "must include tests/test.c:1",
        "must include tests/test.c:2",
    ]
    assert "check text src/Makefile:3" in told


def test_a_source_file_moves(lists: Coded) -> None:
    """Its own relative includes; nobody includes it, and makefiles name what is made of it."""
    told = lists.told(Move(("src/list.c",), "tests"))
    assert "must include src/list.c:1" in told
    assert {"check text src/Makefile:1", "check text src/Makefile:3"} <= set(told)
    assert sum(line.startswith("must") for line in told) == 1


def test_both_move_together(lists: Coded) -> None:
    """What lies side by side before and after is found as before."""
    told = lists.told(Create("plan:1", "src", "util", "folder"), Move(("src/list.h", "src/list.c"), "plan:1"))
    assert "must include src/list.c:1" not in told
    assert "must include src/main.c:1" in told


def test_a_folder_moves(lists: Coded) -> None:
    """Includes inside hold, those from elsewhere by its name do not."""
    told = lists.told(Rename("src", "source"))
    assert [line for line in told if line.startswith("must")] == ["must include tests/test.c:1"]


def test_a_function_gets_another_name(lists: Coded) -> None:
    """Definition, declaration, calls and its name as a value; no comment, no member of that name."""
    assert lists.told(Rename("src/list.c::listCreate", "listNew")) == [
        "must call src/list.h:4",
        "must call src/main.c:6",
        "must call tests/test.c:4",
        "must definition src/list.c:6",
        "must reference src/main.c:7",
    ]


def test_a_static_function_is_seen_in_its_file_alone(lists: Coded) -> None:
    """Another file has another function of that name."""
    told = lists.told(Rename("src/list.c::helper", "assist"))
    assert [line for line in told if line.startswith("must")] == [
        "must call src/list.c:6",
        "must definition src/list.c:4",
    ]


def test_a_type_goes_to_another_header(tmp_path: Path) -> None:
    """Its users include the new header; those that do already need nothing."""
    project = Coded(
        tmp_path,
        {
            "a.h": "struct base { int n; };\nstruct thing { struct base b; };\n",
            "b.h": "#define B 1\n",
            "use.c": '#include "a.h"\n\nstruct thing t;\n',
            "both.c": '#include "a.h"\n#include "b.h"\nstruct thing u;\n',
        },
    )
    told = project.told(Move(("a.h::thing",), "b.h"))
    assert told == ["must add-import b.h+0 a.h", "must add-import use.c+1 b.h"]


def test_a_method_gets_another_name(tmp_path: Path) -> None:
    """Declaration, definition outside the class, calls, and methods that override it."""
    project = Coded(
        tmp_path,
        {
            "shape.h": """
                class Shape {
                 public:
                  virtual int CornerCount();
                };
                class Square : public Shape {
                 public:
                  int CornerCount() override;
                };
            """,
            "shape.cc": """
                #include "shape.h"

                int Shape::CornerCount() { return 0; }

                int Square::CornerCount() { return 4; }
            """,
            "use.cc": """
                #include "shape.h"

                int use(Shape *s) { return s->CornerCount(); }
            """,
        },
    )
    told = project.told(Rename("shape.cc::Shape::CornerCount", "Corners"))
    places = {line.rpartition(" ")[2] for line in told if line.startswith("must")}
    assert places == {"shape.h:3", "shape.h:7", "shape.cc:3", "shape.cc:5", "use.cc:3"}
