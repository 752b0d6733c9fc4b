"""Our layout of Sankey diagrams beside that of d3-sankey: make judge-sankey

Twenty seeded graphs of 20, 48 and 120 boxes each, such as call graphs of modules are: callers hand on what they take.
Compared is the weight of all crossings: at each column a flow has a height, between two columns two flows cross where
one is above the other at the left and below at the right; each crossing weighs the product of both flows. d3-sankey,
which comes from npm into out/judge-sankey, draws a flow over several columns as one curve: its height at a column
between is that of the curve. Exit status 1 when ours has more than 0.75 of the weight.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.sankey.layout import SankeyLayout, sankey
from tests.judges.javascript_imports import install

Floats = npt.NDArray[np.float64]
Graph = tuple[Floats, npt.NDArray[np.int32], npt.NDArray[np.int32], Floats]
TOOLS = Path(__file__).parents[2] / "out" / "judge-sankey"
SIZES = (20, 48, 120)
SEEDS = 20
MOST = 0.75


def call_graph(boxes: int, seed: int) -> Graph:
    """Modules that call later ones: each has one to four callers, near ones more often, and hands on what it takes."""
    rng = np.random.default_rng([seed, boxes])
    pairs = []
    for box in range(1, boxes):
        reach = np.arange(box)
        near = np.exp(-(box - reach) / (boxes / 5))
        callers = rng.choice(reach, min(box, int(rng.integers(1, 5))), replace=False, p=near / near.sum())
        pairs += [(int(caller), box) for caller in np.sort(callers)]
    source, target = np.array(pairs, np.int32).T.copy()
    share = rng.pareto(1.2, len(source)) + 0.05
    value, flow = np.zeros(boxes), np.zeros(len(source))
    value[0] = 1000.0
    for box in range(boxes):
        out = np.flatnonzero(source == box)
        if len(out):
            flow[out] = value[box] * 0.9 * share[out] / share[out].sum()
            np.add.at(value, target[out], flow[out])
    return value, source, target, flow


def heights_of_ours(drawn: SankeyLayout, graph: Graph) -> tuple[npt.NDArray[np.int32], list[Floats]]:
    """Columns of boxes, and of each flow its height at each column from source to target."""
    found = []
    for edge in range(len(graph[1])):
        bends = slice(int(drawn.bend_ptr[edge]), int(drawn.bend_ptr[edge + 1]))
        middle = drawn.bend_top[bends] + drawn.bend_size[bends] / 2
        ends = [
            (top + size / 2)[edge] for top, size in ((drawn.out_top, drawn.out_size), (drawn.in_top, drawn.in_size))
        ]
        found.append(np.array([ends[0], *middle, ends[1]]))
    return drawn.layer, found


def heights_of_d3(said: dict[str, list[list[float]]], graph: Graph) -> tuple[npt.NDArray[np.int32], list[Floats]]:
    """The same of what d3-sankey says; its links are Bezier curves with level ends and controls in the middle."""
    _, source, target, _ = graph
    layer = np.array(said["layer"], np.int32)
    found = []
    for edge, (first, last) in enumerate(said["ends"]):
        passed = int(layer[target[edge]] - layer[source[edge]])
        along = np.linspace(0.0, 1.0, passed + 1)
        t = np.linspace(0.0, 1.0, 2001)
        x = 1.5 * t * (1 - t) ** 2 + 1.5 * t**2 * (1 - t) + t**3
        rise = np.interp(along, x, 3 * t**2 * (1 - t) + t**3)
        found.append(first + (last - first) * rise)
    return layer, found


def crossing_weight(layer: npt.NDArray[np.int32], heights: list[Floats], graph: Graph) -> float:
    """The weight of all crossings between columns."""
    _, source, _, flow = graph
    total = 0.0
    for column in range(int(layer.max())):
        left, right, weight = [], [], []
        for edge, height in enumerate(heights):
            step = column - int(layer[source[edge]])
            if 0 <= step < len(height) - 1:
                left.append(height[step])
                right.append(height[step + 1])
                weight.append(flow[edge])
        one, other, weights = (np.array(each) for each in (left, right, weight))
        crossed = (one[:, None] - one[None, :]) * (other[:, None] - other[None, :]) < -1e-9
        total += float((weights[:, None] * weights[None, :])[crossed].sum()) / 2
    return total


def main() -> int:
    """Print a row for each size; 1 when ours crosses too much."""
    if not install(["d3-sankey@0.12.3"], TOOLS):
        return 2
    graphs = [(size, call_graph(size, seed)) for size in SIZES for seed in range(SEEDS)]
    given = [{"nodes": size, "links": np.stack(graph[1:], axis=1).tolist()} for size, graph in graphs]
    script = TOOLS / "sankey.mjs"
    script.write_text((Path(__file__).parent / "sankey.mjs").read_text())
    asked = json.dumps(given)
    done = subprocess.run(["node", str(script)], input=asked, capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    rows: dict[int, list[tuple[float, float, float]]] = {size: [] for size in SIZES}
    for (size, graph), said in zip(graphs, theirs, strict=True):
        began = time.process_time()
        drawn = sankey(*graph, 600.0)
        took = time.process_time() - began
        ours = crossing_weight(*heights_of_ours(drawn, graph), graph)
        rows[size].append((ours, crossing_weight(*heights_of_d3(said, graph), graph), took))
    print("| boxes | weighted crossings here / of d3-sankey: all graphs | median graph | worst | ms |")
    print("|---:|---:|---:|---:|---:|")
    worst = 0.0
    for size, found in rows.items():
        ours, others = sum(row[0] for row in found), sum(row[1] for row in found)
        each = sorted(row[0] / row[1] if row[1] else float(row[0] > 0) for row in found)
        milliseconds = 1000 * float(np.median([row[2] for row in found]))
        print(f"| {size} | {ours / others:.2f} | {each[len(each) // 2]:.2f} | {each[-1]:.2f} | {milliseconds:.0f} |")
        worst = max(worst, ours / others)
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    raise SystemExit(main())
