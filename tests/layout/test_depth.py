"""Which nodes the first picture opens (CBV-6)."""

from __future__ import annotations

from cbvtool.graph import GraphBuilder
from cbvtool.layout.depth import expanded_to_files, first_picture


def tree(*files: tuple[str, int]) -> GraphBuilder:
    """Folders and files, from the paths of the files and their lines."""
    builder = GraphBuilder("shop")
    for path, lines in files:
        above = ""
        for part in path.split("/")[:-1]:
            inner = f"{above}/{part}".strip("/")
            if inner not in builder:
                builder.add_node(inner, above, part, "folder")
            above = inner
        builder.add_node(path, above, path.rpartition("/")[2], "file", file=path, values={"sloc": lines})
    return builder


def test_many_children_of_one_do_not_keep_the_others_closed() -> None:
    """CBV-6: the first picture shows more than one large folder of many files, though it is the largest."""
    tests = [(f"src/test/all/t{number}.c", 100) for number in range(110)]
    main = [(f"src/main/{part}/{number}.c", 100) for part in ("io", "net", "ui") for number in range(20)]
    graph = tree(*tests, *main).freeze()
    opened = {graph.ids[key] for key in first_picture(graph)}
    assert {"src", "src/main", "src/test"} <= opened
    assert "src/test/all" in opened, "it is most of the code"
    assert opened & {"src/main/io", "src/main/net", "src/main/ui"}


def test_files_at_all_depths() -> None:
    """CBV-6: what holds files is opened, however deep; a folder without any, and what lies elsewhere, is not."""
    builder = tree(("a.c", 1), ("x/b.c", 1), ("x/y/z/c.c", 1))
    builder.add_node("empty", "", "empty", "folder")
    builder.add_node("x/b.c::f", "x/b.c", "f", "function")
    graph = builder.freeze()
    assert {graph.ids[key] for key in expanded_to_files(graph)} == {"", "x", "x/y", "x/y/z"}
    assert {graph.ids[key] for key in expanded_to_files(graph, graph.key_of["x/y"])} == {"x/y", "x/y/z"}
