"""CBV-13: the groups of files by package, owner, language, age, and by a table of the user's."""

from collections.abc import Set
from pathlib import Path

import numpy as np
import pytest

from cbvtool.errors import InputError
from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.hierarchies import GROUPINGS, hierarchy, label, named
from cbvtool.metrics import evaluate
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes

DAY = 86_400


def tree_of(paths: dict[str, dict[str, float]], packages: Set[str] = frozenset()) -> Graph:
    builder = GraphBuilder("demo")
    for path, values in paths.items():
        folders = path.split("/")[:-1]
        for depth in range(1, len(folders) + 1):
            folder = "/".join(folders[:depth])
            if folder not in builder:
                kind = "package" if folder in packages else "folder"
                builder.add_node(folder, "/".join(folders[: depth - 1]), folders[depth - 1], kind)
        builder.add_node(path, "/".join(folders), path.split("/")[-1], "file", file=path, values=values)
    return builder.freeze()


def changes_of(commits: list[tuple[str, int, list[str]]]) -> Changes:
    """(author, day, paths), oldest first."""
    authors = tuple(dict.fromkeys(author for author, _, _ in commits))
    paths = tuple(dict.fromkeys(path for _, _, touched in commits for path in touched))
    touches = [(row, paths.index(path)) for row, (_, _, touched) in enumerate(commits) for path in touched]
    return Changes(
        tuple(f"{row:040x}" for row in range(len(commits))),
        np.array([day * DAY for _, day, _ in commits], np.int64),
        np.array([authors.index(author) for author, _, _ in commits], np.int32),
        authors,
        np.array([row for row, _ in touches], np.int32),
        np.array([path for _, path in touches], np.int32),
        paths,
    )


def groups(graph: Graph) -> dict[str, tuple[str, ...]]:
    """File -> names of its groups, the outermost first."""
    return {
        graph.ids[key]: tuple(graph.names[above] for above in graph.ancestors(key))[-2::-1]
        for key in np.flatnonzero((graph.kinds == graph.kind_names.index("file")) & (graph.parent != REMOVED)).tolist()
    }


SHOP = {"ui/page.py": {"sloc": 10.0}, "ui/cart.py": {"sloc": 5.0}, "core/bill.py": {"sloc": 7.0}, "notes.txt": {}}
COMMITS = [
    ("ada@x.org", 10, ["ui/page.py", "ui/cart.py"]),
    ("ada@x.org", 20, ["ui/page.py"]),
    ("ben@x.org", 400, ["ui/cart.py", "ui/page.py"]),
    ("ben@x.org", 401, ["ui/cart.py", "core/bill.py"]),
]


def test_a_file_belongs_to_who_changed_it_most() -> None:
    """CBV-13: owners; what nobody changed belongs to others."""
    shown = hierarchy(tree_of(SHOP), changes_of(COMMITS), "owners").graph
    assert groups(shown) == {
        "ui/page.py": ("ada",),
        "ui/cart.py": ("ben",),
        "core/bill.py": ("ben",),
        "notes.txt": ("(other)",),
    }
    assert shown.kind(shown.key_of["owner:ada"]) == "owner"


def test_commits_of_a_group_are_counted_once() -> None:
    """CBV-13: a commit that touched two files of a group is one commit of the group, as of a folder."""
    changes = changes_of(COMMITS)
    shown = hierarchy(tree_of(SHOP), changes, "owners").graph
    commits, authors = (evaluate(name, Subject(shown, changes)) for name in ("commits", "authors"))
    assert commits[shown.key_of["owner:ada"]] == 3
    assert commits[shown.key_of["owner:ben"]] == 3  # not 4: the last one touched both of his files
    assert authors[shown.key_of["owner:ben"]] == 2
    assert commits[shown.root] == 4


def test_age_is_year_and_month_of_the_last_change() -> None:
    """CBV-13: in groups that come in the order of time."""
    shown = hierarchy(tree_of(SHOP), changes_of(COMMITS), "age").graph
    assert groups(shown)["ui/page.py"] == ("1971", "1971-02")
    assert groups(shown)["notes.txt"] == ("(other)",)


def test_languages_come_from_suffixes() -> None:
    """CBV-13: also of files that are read in no language."""
    shown = hierarchy(tree_of(SHOP), None, "languages").graph
    assert groups(shown)["ui/page.py"] == ("Python",)
    assert groups(shown)["notes.txt"] == (".txt",)


JAVA = "core/src/main/java/org/shop/bill"


@pytest.mark.parametrize(
    ("path", "packages", "group"),
    [
        (f"{JAVA}/Bill.java", {JAVA}, ("org.shop.bill",)),
        ("core/src/test/kotlin/org/shop/BillTest.kt", set(), ("org.shop",)),
        ("java.base/share/classes/java/util/List.java", set(), ("java.util",)),
        ("lib/com/shop/Bill.java", {"lib/com/shop"}, ("com.shop",)),
        ("src/shop/core/bill.py", {"src/shop", "src/shop/core"}, ("shop.core",)),
        ("src/shop/plain/bill.py", {"src/shop"}, ("shop.plain",)),
        ("internal/bill/bill.go", {"internal/bill"}, ("internal.bill",)),
        ("bill.go", set(), ("demo",)),
    ],
)
def test_packages_are_called_as_in_the_source(path: str, packages: set[str], group: tuple[str, ...]) -> None:
    """CBV-13: where a package's name begins follows from the layout of the language."""
    paths: dict[str, dict[str, float]] = {path: {}, "README": {}}
    if path.startswith("src/shop"):
        paths |= {f"{package}/__init__.py": {} for package in packages}
    shown = hierarchy(tree_of(paths, packages), None, "packages").graph
    assert ".".join(groups(shown)[path]) == ".".join(group)
    assert groups(shown)["README"] == ("(other)",)


def test_main_and_test_sources_of_a_package_are_together() -> None:
    """CBV-13: this is what folders cannot show."""
    test = JAVA.replace("main", "test")
    graph = tree_of({f"{JAVA}/Bill.java": {}, f"{test}/BillTest.java": {}}, {JAVA, test})
    shown = hierarchy(graph, None, "packages").graph
    assert set(groups(shown).values()) == {("org.shop.bill",)}


def test_a_manifest_makes_a_package_where_the_language_has_none() -> None:
    """CBV-13: the packages of a JavaScript repository."""
    graph = tree_of({"packages/cart/package.json": {}, "packages/cart/lib/a.js": {}, "tool.js": {}})
    shown = hierarchy(graph, None, "packages").graph
    assert groups(shown)["packages/cart/lib/a.js"] == ("packages.cart",)
    assert groups(shown)["tool.js"] == ("(other)",)


def test_where_nothing_is_known_there_is_nothing_to_show() -> None:
    """CBV-13: one sentence says why."""
    graph = tree_of({"a.txt": {}})
    for name, reason in (("owners", "no git history"), ("age", "no git history"), ("packages", "Nothing is known")):
        with pytest.raises(InputError, match=reason):
            hierarchy(graph, None, name)
    with pytest.raises(InputError, match="no hierarchy 'teams'; there are folders, packages"):
        hierarchy(graph, None, "teams")


def test_folders_are_the_graph_itself() -> None:
    """CBV-13: the way back is exact."""
    graph = tree_of(SHOP)
    assert hierarchy(graph, None, named("folders")).graph is graph
    assert [label(name) for name in ("", *GROUPINGS, "csv:folder/teams.csv")] == [
        "Folders",
        "Packages",
        "Owners",
        "Languages",
        "Age",
        "teams.csv",
    ]


def test_a_table_groups_files_and_folders(tmp_path: Path) -> None:
    """CBV-13: the nearest row counts, what has none goes to others, unknown paths are told."""
    file = tmp_path / "teams.csv"
    file.write_text("path,group\nui,Web,Pages\nui/cart.py,Shop\n\nnowhere/x.py,Web\n")
    made = hierarchy(tree_of(SHOP), None, f"csv:{file}")
    assert groups(made.graph) == {
        "ui/page.py": ("Web", "Pages"),
        "ui/cart.py": ("Shop",),
        "core/bill.py": ("(other)",),
        "notes.txt": ("(other)",),
    }
    assert made.notes == ("1 path of the table is not there: nowhere/x.py (line 5).",)


@pytest.mark.parametrize(
    ("count", "note"),
    [
        (2, "2 paths of the table are not there: x1 (line 2), x2 (line 3)."),
        (3, "3 paths of the table are not there: x1 (line 2), x2 (line 3), x3 (line 4)."),
        (4, "4 paths of the table are not there: x1 (line 2), x2 (line 3), x3 (line 4) and 1 more."),
        (1234, "1,234 paths of the table are not there: x1 (line 2), x2 (line 3), x3 (line 4) and 1,231 more."),
    ],
)
def test_of_many_unknown_paths_the_first_are_named_and_all_are_counted(tmp_path: Path, count: int, note: str) -> None:
    """What is named and what is "more" are together all that is unknown."""
    file = tmp_path / "teams.csv"
    file.write_text("ui,Web\n" + "".join(f"x{number},Web\n" for number in range(1, count + 1)))
    assert hierarchy(tree_of(SHOP), None, f"csv:{file}").notes == (note,)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_table_of_a_spreadsheet_is_read(tmp_path: Path, mark: str) -> None:
    """CBV-13: in many countries a spreadsheet parts cells by semicolons, as a comma belongs to numbers."""
    rows = ["\ufeffpath,team,squad", "", "ui,Web,Blue", "core/bill.py,Money,"]
    (tmp_path / "teams.csv").write_text("\r\n".join(rows).replace(",", mark), encoding="utf-8")
    made = groups(hierarchy(tree_of(SHOP), None, f"csv:{tmp_path / 'teams.csv'}").graph)
    assert made["ui/page.py"] == ("Web", "Blue")
    assert made["core/bill.py"] == ("Money",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ui/page.py,Web\nui/cart.py\n", "teams.csv, line 2: a row is a path, a group"),
        ("ui/page.py,Web,,Inner\n", "teams.csv, line 1: a row is a path, a group"),
        ("ui,Web\ncore,Core\nui/,Core\n", "teams.csv, line 3: ui is in line 1 already"),
        ('ui,"Web\n', "teams.csv, line 1: it is not CSV"),
        ("path,group\n", "teams.csv holds no row"),
    ],
)
def test_what_is_wrong_in_a_table_is_told_with_its_line(tmp_path: Path, text: str, reason: str) -> None:
    """CBV-13: errors name file and line."""
    file = tmp_path / "teams.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=reason):
        hierarchy(tree_of(SHOP), None, f"csv:{file}")


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    """CBV-13: so is one that is no text."""
    with pytest.raises(InputError, match=r"none\.csv cannot be read"):
        hierarchy(tree_of(SHOP), None, f"csv:{tmp_path / 'none.csv'}")
    (tmp_path / "bytes.csv").write_bytes(b"a\0b")
    with pytest.raises(InputError, match=r"bytes\.csv is not a table of groups: it is not text"):
        hierarchy(tree_of(SHOP), None, f"csv:{tmp_path / 'bytes.csv'}")
