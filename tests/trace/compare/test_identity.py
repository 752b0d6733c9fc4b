"""TD-12: which function of one recording is which of another."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.errors import InputError
from cbvtool.trace.compare.file_pairs import paired_files
from cbvtool.trace.compare.function_table import function_table
from cbvtool.trace.compare.identity import common_functions, is_named, rows_named, without_counters
from cbvtool.trace.compare.trees import call_tree
from cbvtool.trace.model.trace import Functions
from tests.trace.compare.trees import traced


def functions(*rows: tuple[str, str, str, int]) -> Functions:
    """name, module, file, line of each."""
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return Functions(columns[0], columns[1], columns[2], np.array(columns[3], np.int32))


def test_files_are_paired_by_their_place_below_the_source_root() -> None:
    """Two checkouts, each with its own packages, and the same standard library."""
    left = [
        "/old/shop/cart.py",
        "/old/shop/__init__.py",
        "/old/shop/gone/__init__.py",
        "/old/shop/gone/a.py",
        "/lib/re.py",
    ]
    right = [
        "/new/x/shop/cart.py",
        "/new/x/shop/__init__.py",
        "/new/x/shop/come/__init__.py",
        "/new/x/shop/b.py",
        "/lib/re.py",
    ]
    assert paired_files(left, right) == {
        "/old/shop/cart.py": "/new/x/shop/cart.py",
        "/old/shop/__init__.py": "/new/x/shop/__init__.py",
        "/lib/re.py": "/lib/re.py",
    }
    assert paired_files(left, right, {"shop/gone/a.py": "shop/b.py"})["/old/shop/gone/a.py"] == "/new/x/shop/b.py"


def test_two_versions_of_python_and_windows() -> None:
    left = ["/usr/lib/python3.11/re/_parser.py", "/usr/lib/python3.11/os.py", "C:\\work\\app\\main.py"]
    right = ["/usr/lib/python3.13/re/_parser.py", "/usr/lib/python3.13/os.py", "D:/other/app/main.py"]
    assert paired_files(left, right) == dict(zip(left, right, strict=True))


def test_a_script_of_another_name_is_no_partner() -> None:
    assert paired_files(["/a/one.py"], ["/a/two.py"]) == {}


def test_functions_have_one_id_where_file_and_name_are_the_same() -> None:
    left = functions(("f", "m", "/a/m.py", 3), ("g", "m", "/a/m.py", 9), ("old", "m", "/a/m.py", 20))
    right = functions(("g", "m", "/b/m.py", 30), ("f", "m", "/b/m.py", 1), ("new", "m", "/b/m.py", 40))
    common = common_functions(left, right)
    assert common.of_reference[0] == common.of_test[1]
    assert common.of_reference[1] == common.of_test[0]
    assert common.count == 4
    assert common.only_reference.tolist() == [2]
    assert common.only_test.tolist() == [2]
    told = common_functions(left, right, table={"m.py::old": "new"})
    assert told.of_reference[2] == told.of_test[2]
    assert told.only_reference.tolist() == []


def test_several_of_one_name_are_paired_in_the_order_of_their_lines() -> None:
    left = functions(("f.<lambda>", "m", "/a/m.py", 8), ("f.<lambda>", "m", "/a/m.py", 3))
    right = functions(
        ("f.<lambda>", "m", "/b/m.py", 4), ("f.<lambda>", "m", "/b/m.py", 9), ("f.<lambda>", "m", "/b/m.py", 12)
    )
    common = common_functions(left, right)
    assert common.of_reference.tolist() == [common.of_test[1], common.of_test[0]]


def test_functions_without_a_file_are_paired_by_their_library() -> None:
    left = functions(("malloc", "/lib/libc.so.6", "", 0), ("main", "app", "", 0))
    right = functions(("main", "app", "", 0), ("malloc", "/usr/lib64/libc.so.6", "", 0), ("main", "other", "", 0))
    assert common_functions(left, right).shared.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("sort.constprop.0", "sort"),
        ("sort.isra.12.part.3", "sort"),
        ("Outer$1", "Outer"),
        ("lambda$main$3", "lambda$main"),
        ("f.<lambda:12>", "f.<lambda>"),
        ("step2", "step2"),
        ("_private_12", "_private_12"),
    ],
)
def test_counters_of_compilers_are_left_out(name: str, bare: str) -> None:
    assert without_counters(name) == bare


def test_several_roots_get_a_virtual_one() -> None:
    """TD-1, TD-3."""
    trace = traced([("a", 0, 10, [("b", 2, 5, [])]), ("c", 12, 20, [])])
    common = common_functions(trace.functions, trace.functions)
    tree = call_tree(trace, 0, common.of_reference, common.count)
    assert tree.virtual
    assert tree.function[0] == common.count
    assert tree.depth.tolist() == [0, 1, 2, 1]
    assert tree.end_row.tolist() == [4, 3, 3, 4]
    assert tree.start.tolist() == [0, 0, 2, 12]
    assert tree.parent.tolist() == [-1, 0, 1, 0]
    assert [tree.call(row) for row in range(4)] == [-1, 0, 1, 2]
    one = call_tree(traced([("a", 5, 10, [])]), 0, common.of_reference, common.count)
    assert not one.virtual
    assert one.call(0) == 0


def test_libraries_that_lie_where_they_lay_hide_no_source_root() -> None:
    """TD-12: two checkouts run by one interpreter, most of whose files are those of its library."""
    library = [f"/usr/lib/python3/{name}.py" for name in "abcdefgh"]
    before, after = ([*library, f"/tmp/{side}/shop/cli.py", f"/tmp/{side}/shop/ui/menu.py"] for side in ("old", "new"))
    found = paired_files(before, after)
    assert found["/tmp/old/shop/cli.py"] == "/tmp/new/shop/cli.py"
    assert found["/tmp/old/shop/ui/menu.py"] == "/tmp/new/shop/ui/menu.py"
    assert all(found[file] == file for file in library)


def test_a_table_of_functions_swaps_two_and_leaves_what_it_displaces_alone() -> None:
    """TD-12: what had the partner by its name alone is a function of its own then."""
    left = functions(("f", "m", "/a/m.py", 1), ("g", "m", "/a/m.py", 5), ("h", "m", "/a/n.py", 9))
    right = functions(("f", "m", "/b/m.py", 1), ("g", "m", "/b/m.py", 5), ("h", "m", "/b/n.py", 9))
    swapped = common_functions(left, right, table={"f": "g", "a/m.py::g": "m.py::f"})
    assert swapped.of_reference.tolist() == [swapped.of_test[1], swapped.of_test[0], swapped.of_test[2]]
    displaced = common_functions(left, right, table={"f": "n.py::h"})
    assert displaced.of_reference[0] == displaced.of_test[2]
    assert displaced.only_reference.tolist() == [2]
    assert sorted({*displaced.of_reference.tolist(), *displaced.of_test.tolist()}) == list(range(displaced.count))
    nobody = common_functions(left, right, table={"f": "nobody", "nobody": "h"})
    assert nobody.of_reference.tolist() == nobody.of_test.tolist()


def test_rows_named_are_those_of_the_definition() -> None:
    """TD-12: beside `is_named`, each name with each function."""
    random = np.random.default_rng(3)
    names, files = ["f", "A.f", "x::f", "g"], ["/a/m.py", "/a/b/m.py", "C:\\a\\m.py", ""]
    made = functions(*((names[n], "m", files[f], 1) for n, f in zip(*random.integers(0, 4, (2, 40)), strict=True)))
    asked = ["f", "m.py::f", "b/m.py::A.f", "x::f", "a/m.py::g", "::f", "no"]
    found = rows_named(made, asked)
    assert found == {name: [row for row in range(40) if is_named(made, row, name)] for name in asked}
    assert found["b/m.py::A.f"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f,g\n", "line 1: a table of functions has the columns reference,test"),
        ("", "line 1"),
        ("reference,test\nf\n", "line 2: name a function"),
        ("reference,test\nf,\n", "line 2: name a function"),
        ("reference,test\nf,g\nf,h\n", "line 3: 'f' is there twice"),
        ('reference,test\n"f,g\n', "is no table of functions"),
    ],
)
def test_a_bad_table_of_functions_is_one_sentence(text: str, said: str) -> None:
    """TD-12: the line is named."""
    with pytest.raises(InputError, match=said):
        function_table(text, "names.csv")


def test_a_table_of_functions_is_read() -> None:
    """TD-12: as spreadsheets write it."""
    text = '\ufeffreference, test\r\n"f(int, int)",g\r\n,\r\na.py::h ,h\r\n'
    assert function_table(text, "names.csv") == {"f(int, int)": "g", "a.py::h": "h"}


def test_td_12_renames_hold_where_both_were_recorded_at_one_place() -> None:
    """TD-12: a work tree at two commits; two work trees of which nothing but a renamed file was recorded."""
    renames = {"shop/cart.py": "shop/basket.py", "shop/a.py": "shop/b.py"}
    left = ["/src/shop/cart.py", "/src/shop/pay.py"]
    right = ["/src/shop/basket.py", "/src/shop/pay.py"]
    assert paired_files(left, right, renames) == dict(zip(left, right, strict=True))
    assert paired_files(["/one/shop/a.py"], ["/two/shop/b.py"], renames) == {"/one/shop/a.py": "/two/shop/b.py"}
    two = ["/two/shop/b.py", "/three/shop/b.py"]
    assert paired_files(["/one/shop/a.py"], two, renames) == {}, "nobody knows which of both"
