"""What a picture costs to build, stage by stage: python tests/benchmarks/bench_bundling.py [--d3 NODE_MODULES]

Random trees of files with random relations, all expanded: 1,000 / 1,500, 8,850 / 50,000 (as large as Chromium in
the thesis) and 100,000 / 200,000. The best and the median of several rounds, in milliseconds.

Then, for the middle one, all bundles (tree paths, straightening, 32 samples each) beside VTK
(vtkGraphHierarchicalBundleEdges and vtkSplineGraphEdges) and, with `--d3`, beside d3 (paths of d3-hierarchy 3,
curveBundle of d3-shape 3 into a context that counts), which Node runs; `npm install d3-hierarchy d3-shape` makes
the folder. Alternately, in one run: quote the ratios.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.fan_out import fan_out
from cbvtool.bundling.paths import inner_points, routes
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.picking.pick import pick_item, pick_on_curve
from cbvtool.geometry.scene.rings import ring_mesh
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import Drag, Mapping, ViewState
from cbvtool.graph import Graph, lift
from cbvtool.layout.radial import RadialLayout, radial_layout
from cbvtool.layout.visible import VisibleTree, visible_tree
from tests.layout.cases import random_graph

SIZES = ((1_000, 1_500), (8_850, 50_000), (100_000, 200_000))
SAMPLES = 32
BETA = 0.8


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--d3", type=Path, help="the folder node_modules that holds d3-hierarchy and d3-shape")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(arguments)
    for leaves, relations in SIZES:
        build_times(random_graph(leaves, relations), options.rounds)
    compare(random_graph(*SIZES[1]), options.d3, options.rounds)
    return 0


def build_times(graph: Graph, rounds: int) -> None:
    """Print what each stage costs, and each edit of the view."""
    _ = graph.tree
    weight, everything = graph.values["sloc"], frozenset(range(len(graph)))
    tree = visible_tree(graph, everything, own_weight=weight)
    layout = radial_layout(tree, weight)
    lifted = lift(graph.edges, tree.represent)
    fan = fan_out(graph.edges, tree, layout, lifted)
    unsorted = routes(tree, layout, fan.item, fan.angle, fan.source, fan.target)
    route = unsorted.take(unsorted.order)
    print(f"\n## {int(tree.leaf.sum()):,} leaves, {len(graph.edges):,} relations: {len(fan):,} curves\n")
    print("| stage | best, ms | median, ms |\n| --- | ---: | ---: |")
    stages: dict[str, Callable[[], object]] = {
        "visible tree": lambda: visible_tree(graph, everything, own_weight=weight),
        "layout": lambda: radial_layout(tree, weight),
        "lifting": lambda: lift(graph.edges, tree.represent),
        "fan-out": lambda: fan_out(graph.edges, tree, layout, lifted),
        "routes": lambda: routes(tree, layout, fan.item, fan.angle, fan.source, fan.target),
        "bundles": lambda: bundle(route, BETA, SAMPLES),
        "mesh of the rings": lambda: ring_mesh(tree, layout),
    }
    for name, work in stages.items():
        report(name, seconds(work, rounds))

    state = ViewState(expanded=everything, mapping=Mapping("sloc", "complexity", "sloc"))
    pipeline = Pipeline()
    report("whole scene, from nothing", seconds(lambda: Pipeline().scene(graph, None, state), rounds))
    scene = pipeline.scene(graph, None, state)
    edits = {
        "another colour metric": replace(state, mapping=replace(state.mapping, color="complexity")),
        "another height metric": replace(state, mapping=replace(state.mapping, height="sloc")),
        "another angle metric": replace(state, mapping=replace(state.mapping, angle="complexity")),
        "another beta": replace(state, beta=0.6),
        "hover": replace(state, hovered=5),
        "begin of a drag": replace(state, drag=Drag((int(graph.children(0)[0]),))),
    }
    for name, edited in edits.items():
        times = []
        for _ in range(rounds):
            pipeline.scene(graph, None, state)
            times += seconds(partial(pipeline.scene, graph, None, edited), 1)
        report(name, times)
    dragging = pipeline.scene(graph, None, edits["begin of a drag"])
    report("pointer move of a drag", seconds(lambda: dragging.drag_curves((0.3, 0.2)), rounds))
    camera = Camera.fit(1600, 1000)
    pixels = np.random.default_rng(0).random((50, 2)) * (1600, 1000)
    rays = [camera.ray(x, y, 1600, 1000) for x, y in pixels]
    report("picking a segment", [t / 50 for t in seconds(lambda: [pick_item(scene, *r) for r in rays], rounds)])
    curves = seconds(lambda: [pick_on_curve(scene, camera, x, y, 1600, 1000) for x, y in pixels], rounds)
    report("picking a relation", [t / 50 for t in curves])


def compare(graph: Graph, d3: Path | None, rounds: int) -> None:
    """Print our time for all bundles beside that of VTK, and of d3."""
    weight = graph.values["sloc"]
    tree = visible_tree(graph, frozenset(range(len(graph))), own_weight=weight)
    layout = radial_layout(tree, weight)
    source, target = tree.represent[graph.edges.source], tree.represent[graph.edges.target]
    item = np.arange(len(tree), dtype=np.int32)
    angle = (layout.a0 + layout.a1) / 2

    def ours() -> object:
        route = routes(tree, layout, item, angle, source, target)
        return bundle(route.take(route.order), BETA, SAMPLES)

    vtk = vtk_bundles(tree, layout, source, target)
    times: dict[str, list[float]] = {"ours": [], "VTK": [], "d3": []}
    for _ in range(rounds):
        times["ours"] += seconds(ours, 3)
        times["VTK"] += seconds(vtk, 1)
        if d3 is not None:
            times["d3"] += d3_bundles(tree, source, target, d3)
    print(f"\n## Bundles of {len(source):,} relations, {SAMPLES} samples each\n")
    print("| | best, ms | median, ms | best, ours = 1 |\n| --- | ---: | ---: | ---: |")
    for name, measured in times.items():
        if measured:
            best, median = 1e3 * min(measured), 1e3 * statistics.median(measured)
            print(f"| {name} | {best:.1f} | {median:.1f} | {min(measured) / min(times['ours']):.1f} |")


def vtk_bundles(
    tree: VisibleTree, layout: RadialLayout, source: np.ndarray, target: np.ndarray
) -> Callable[[], object]:
    """A run of VTK's two filters over the same tree, positions and relations."""
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkMutableDirectedGraph, vtkTree
    from vtkmodules.vtkInfovisCore import vtkGraphHierarchicalBundleEdges
    from vtkmodules.vtkInfovisLayout import vtkSplineGraphEdges

    place = np.zeros((len(tree), 3))
    place[:, :2] = inner_points(tree, layout)
    points = vtkPoints()
    points.SetData(numpy_to_vtk(place, deep=True))
    network, hierarchy = vtkMutableDirectedGraph(), vtkMutableDirectedGraph()
    for graph in (network, hierarchy):
        for _ in range(len(tree)):
            graph.AddVertex()
        graph.SetPoints(points)
    for child, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            hierarchy.AddGraphEdge(parent, child)
    for a, b in zip(source.tolist(), target.tolist(), strict=True):
        network.AddGraphEdge(a, b)
    vertical = vtkTree()
    if not vertical.CheckedShallowCopy(hierarchy):
        raise RuntimeError("VTK did not take the tree")
    edges, splines = vtkGraphHierarchicalBundleEdges(), vtkSplineGraphEdges()
    edges.SetInputData(0, network)
    edges.SetInputData(1, vertical)
    edges.SetBundlingStrength(BETA)
    edges.DirectMappingOn()
    splines.SetInputConnection(edges.GetOutputPort())
    splines.SetSplineType(vtkSplineGraphEdges.BSPLINE)
    splines.SetNumberOfSubdivisions(SAMPLES)

    def run() -> object:
        edges.Modified()
        splines.Update()
        return splines.GetOutput()

    return run


_D3 = """
import { readFileSync } from "node:fs";
import { cluster, hierarchy } from "d3-hierarchy";
import { curveBundle } from "d3-shape";
const beta = process.argv.at(-1);
const { parent, source, target } = JSON.parse(readFileSync(0));
const nodes = parent.map(() => ({ children: [] }));
parent.forEach((p, i) => { nodes[i].number = i; if (p >= 0) nodes[p].children.push(nodes[i]); });
const root = cluster().size([2 * Math.PI, 1])(hierarchy(nodes[0]));
const of = []; root.each(d => { of[d.data.number] = d; });
root.each(d => { d.px = d.y * Math.sin(d.x); d.py = d.y * Math.cos(d.x); });
let commands = 0;
const context = { moveTo() { commands++; }, lineTo() { commands++; }, bezierCurveTo() { commands++; }, closePath() {} };
const times = [];
for (let round = 0; round < 8; round++) {
  const start = performance.now();
  const curve = curveBundle.beta(+beta)(context);
  for (let e = 0; e < source.length; e++) {
    curve.lineStart();
    for (const d of of[source[e]].path(of[target[e]])) curve.point(d.px, d.py);
    curve.lineEnd();
  }
  times.push(performance.now() - start);
}
console.log(JSON.stringify(times.slice(3)));
"""


def d3_bundles(tree: VisibleTree, source: np.ndarray, target: np.ndarray, modules: Path) -> list[float]:
    """Seconds of d3 for the same tree and relations: rounds after the engine has warmed up."""
    node = shutil.which("node")
    if node is None:
        raise SystemExit("--d3 needs Node, and there is no `node` here.")
    subject = {"parent": tree.parent.tolist(), "source": source.tolist(), "target": target.tolist()}
    command = [node, "--input-type=module", "-e", _D3, str(BETA)]
    result = subprocess.run(
        command, cwd=modules.parent, input=json.dumps(subject), capture_output=True, text=True, check=True
    )
    return [milliseconds / 1e3 for milliseconds in json.loads(result.stdout)]


def seconds(work: Callable[[], object], rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def report(name: str, times: list[float]) -> None:
    print(f"| {name} | {1e3 * min(times):.2f} | {1e3 * statistics.median(times):.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
