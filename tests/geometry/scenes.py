"""Scenes for what draws them and what stands around them."""

from __future__ import annotations

from typing import Any

from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import Mapping, ViewState
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.depth import expanded_to
from tests.layout.cases import random_graph

MAPPING = Mapping("sloc", "complexity", "sloc")


def shop() -> Graph:
    """Four folders with few files of very different height; `core` is used by all, and nothing leads from it."""
    builder = GraphBuilder("shop")
    for folder, files in {"api": 3, "billing": 4, "core": 2, "web": 5}.items():
        builder.add_node(folder, "", folder, "folder")
        for number in range(files):
            name = f"{folder}/part_{number}.py"
            builder.add_node(
                name,
                folder,
                f"part_{number}.py",
                "file",
                file=name,
                line=1,
                end_line=90,
                values={"sloc": 100.0 + 10 * number, "complexity": 1.0 + 40 * number, "nl3_lines": 5.0 * number},
            )
    for user in ("api", "billing", "web"):
        for number in range(2):
            source, target = builder.key(f"{user}/part_{number}.py"), builder.key(f"core/part_{number}.py")
            builder.add_edge(source, target, "import", sites=[(f"{user}/part_{number}.py", 3)])
    return builder.freeze()


def scene_of(graph: Graph, depth: int = 9, pipeline: Pipeline | None = None, **state: object) -> Scene:
    """The scene of `graph`, `depth` levels deep, with other values of the view state as given."""
    state.setdefault("mapping", MAPPING)
    view = ViewState(expanded=expanded_to(graph, depth), **state)  # type: ignore[arg-type]
    return (pipeline or Pipeline()).scene(graph, None, view)


def random_scene(leaves: int = 300, relations: int = 400, **state: Any) -> Scene:
    """A scene of a random graph, everything expanded."""
    return scene_of(random_graph(leaves, relations, seed=3), **state)
