"""Resources along time: python tests/benchmarks/bench_aggregate.py [--calls N] [--events N]

Processor time, all in one run: the model of N calls beside building them; the best partition for one p of 1,111
resources x 100 slices beside a plain compiled triple loop; of 56 x 100 the first picture and the list of all
partitions, and a step in it of 50 processes until its picture is filled; how shapes of 1,111 x 100 become others;
reading N Paje events beside pj_dump, if it is installed (Debian package pajeng).
"""

from __future__ import annotations

import argparse
import gc
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[2]))

from cbvtool.plots.filling import fill
from cbvtool.plots.layers import Bars
from cbvtool.plots.overlap import passage
from cbvtool.plots.panes import BoxShape, Pane
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.rendering import render_part, settled
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
from cbvtool.trace.kernels import kernel
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.resources.cells import Amount, ResourceCells, cells_of, own_time
from cbvtool.trace.resources.information import Information, information_of
from cbvtool.trace.resources.optima import all_optima, first_optima
from cbvtool.trace.resources.partition import ROUNDING, best_partition, solve
from cbvtool.trace.resources.resource_tree import ResourceGroup, tree_of
from cbvtool.trace.resources.shapes import shapes_of
from plugins.ocelotl.preparing import model_in
from plugins.ocelotl.view import OcelotlView
from tests.benchmarks.bench_traces import nested_trace
from tests.trace.resources.runs import MS, Planted, free_run

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=14_000_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    options = parser.parse_args(arguments)
    model(options.calls)
    one_p()
    lists()
    walked()
    animated()
    paje(options.events)


def best_of(make: Callable[[], T], times: int = 3) -> tuple[T, float]:
    """What it returns, and the least processor seconds of some tries."""
    least = np.inf
    for _ in range(times):
        began = time.process_time()
        made = make()
        least = min(least, time.process_time() - began)
    return made, float(least)


def model(calls: int) -> None:
    """The model beside building the calls from begins and ends."""
    cells_of(nested_trace(20_000))  # compiled, or read, before
    began = time.process_time()
    trace, building = nested_trace(calls), 0.0
    both = time.process_time() - began
    building = both - events_alone(calls)
    weight, ranked = best_of(lambda: own_time(trace))
    _, took = best_of(lambda: cells_of(trace, Amount(), 100, weight=weight))
    print(f"{len(trace.calls):,} calls of {len(trace.threads)} threads; processor ms")
    print("| building calls | model, 100 slices | own time, once a trace | model / building | both / building |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    shares = f"{took / building:.2f} | {(took + ranked) / building:.2f}"
    print(f"| {1000 * building:.0f} | {1000 * took:.0f} | {1000 * ranked:.0f} | {shares} |", flush=True)


def events_alone(calls: int) -> float:
    """Processor seconds that making the events themselves takes, which is no part of building calls."""
    from tests.benchmarks.bench_traces import THREADS, thread_events

    began = time.process_time()
    for seed in range(THREADS):
        thread_events(calls // THREADS, False, seed)
    return time.process_time() - began


def random_model(branches: tuple[int, ...], slices: int = 100, states: int = 4) -> ResourceCells:
    """Ten phases with noise; some resources differ for a while."""
    rng = np.random.default_rng(0)
    tree = tree_of([[ResourceGroup(each, str(each)) for each in path] for path in np.ndindex(*branches)])
    leaves = len(tree.leaves)
    base = np.repeat(rng.random((1, 10, states)), slices // 10, axis=1)
    amount = base * (0.9 + 0.2 * rng.random((leaves, slices, states)))
    some = slice(leaves // 3, leaves // 2)
    amount[some, 30:45] = rng.random((leaves // 2 - leaves // 3, 15, states))
    return ResourceCells(tree, tuple(map(str, range(states))), np.arange(slices + 1, dtype=np.int64), amount)


@kernel
def plain(gain: Floats, loss: Floats, parent: Ints, end: Ints, k: int, p: float, cost: float, best: Floats) -> None:
    """The same values as `solve`, by three loops: length, begin, cut."""
    best[:] = 0.0
    for row in range(len(gain) - 1, -1, -1):
        for long in range(1, k + 1):
            for first in range(k - long + 1):
                last = first + long - 1
                begin = first * k - first * (first - 1) // 2 - first
                at = begin + last
                value = p * gain[row, at] - (1.0 - p) * loss[row, at] - cost
                if end[row] > row + 1 and best[row, at] > value:
                    value = best[row, at]
                for cut in range(first, last):
                    behind = (cut + 1) * k - (cut + 1) * cut // 2 - (cut + 1)
                    both = best[row, begin + cut] + best[row, behind + last]
                    value = max(both, value)
                best[row, at] = value
        if parent[row] >= 0:
            for at in range(best.shape[1]):
                best[parent[row], at] += best[row, at]


def one_p() -> None:
    """The best partition for one p beside the plain loop."""
    information = information_of(random_model((10, 10, 10)))
    best, other = np.empty_like(information.gain), np.empty_like(information.gain)
    shape = f"{len(information.parent):,} resources x {information.slices} slices"
    print(f"\n{shape}: values of all aggregates for one p; processor ms")
    print("| p | plain triple loop | ours | ours / plain | areas |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for p in (0.0, 0.01, 0.05, 0.1, 0.3, 0.6, 1.0):
        arguments = _arguments(information, p)
        _, slow = best_of(lambda: plain(*arguments, other))  # noqa: B023
        _, fast = best_of(lambda: solve(*arguments, best))  # noqa: B023
        assert np.allclose(best, other, atol=1e-12)
        areas = len(best_partition(information, p, best))
        print(f"| {p:g} | {1000 * slow:.0f} | {1000 * fast:.0f} | {fast / slow:.2f} | {areas:,} |", flush=True)


def _arguments(information: Information, p: float) -> tuple[Floats, Floats, Ints, Ints, int, float, float]:
    cost = ROUNDING * sum(information.whole)
    return information.gain, information.loss, information.parent, information.end, information.slices, p, cost


def lists() -> None:
    """The first picture and the whole list."""
    cells = random_model((5, 10))
    information, made = best_of(lambda: information_of(cells))
    _, first = best_of(lambda: first_optima(information))
    every, took = best_of(lambda: all_optima(information), 1)
    print(f"\n{len(cells.tree)} resources x {cells.slices} slices; processor ms")
    print("| qualities and first picture | all partitions | found | for 500 |")
    print("| ---: | ---: | ---: | ---: |")
    per = took / len(every) * 500
    print(f"| {1000 * (made + first):.0f} | {1000 * took:.0f} | {len(every):,} | {1000 * per:.0f} |", flush=True)


def walked() -> None:
    """A step in the list of partitions of 50 processes on seven machines, until its picture is filled."""
    trace = free_run(np.random.default_rng(1), 50, 60, 0.05, Planted((5, 12), 200 * MS, 400 * MS), "send")
    instance = ViewInstance(OcelotlView(), own_inputs([trace]), ViewSurroundings(), lambda said: print(said))
    viewport = Viewport(1600.0, 900.0)
    first = settled(instance, lambda: render_part(instance, "main", viewport))
    assert isinstance(first, Plot)
    fill(first, viewport)
    gc.collect()  # as a window does when it has prepared a view
    model = model_in(instance.context)
    assert model is not None
    assert model.every is not None
    took = []
    for step in range(1, len(model.every) + 1, max(len(model.every) // 100, 1)):
        began = time.process_time()
        instance.set_value("step", step)
        drawn = render_part(instance, "main", viewport)
        assert isinstance(drawn, Plot)
        fill(drawn, viewport)
        took.append(1000 * (time.process_time() - began))
    print(f"\n{len(model.cells.tree)} resources x {model.cells.slices} slices: a step in the list; processor ms")
    print("| steps | median | longest |")
    print("| ---: | ---: | ---: |")
    print(f"| {len(took)} | {statistics.median(took):.0f} | {max(took):.0f} |", flush=True)


def animated() -> None:
    """From one partition of a few to the next: what is found once, and a frame on the way."""
    cells, viewport = random_model((10, 10, 10)), Viewport(1600.0, 900.0)
    pane = Pane("plane", BoxShape(0.0, 0.0, viewport.width, viewport.height), (0.0, 100.0), (0.0, 1000.0))
    tilings = []
    for partition in first_optima(information_of(cells)).partitions:
        shapes = shapes_of(cells.tree, partition, cells.slices, viewport.height / 1000, 3.0)
        row = shapes.row
        color = np.stack((row * 7 % 256, shapes.first * 2, shapes.last * 2, row * 0 + 255), axis=1).astype(np.uint8)
        x0, x1 = shapes.first.astype(np.float64), shapes.last + 1.0
        y0, y1 = (
            at.astype(np.float64) for at in (cells.tree.first_leaf[row], cells.tree.first_leaf[cells.tree.end[row]])
        )
        tilings.append(
            Bars(name="areas", pane="plane", x0=x0, x1=x1, y0=y0, y1=y1, color=color, outline=(90, 90, 90, 255))
        )
    print(f"\n{len(cells.tree):,} resources x {cells.slices} slices, 1600 x 900 pixels: on the way; processor ms")
    print("| shapes | once | a frame |")
    print("| ---: | ---: | ---: |")
    for before, after in pairwise(tilings):
        way, once = best_of(lambda: passage([before], [after]))  # noqa: B023
        if way is not None:
            _, frame = best_of(lambda: fill(Plot((pane,), way.at(0.4)), viewport))  # noqa: B023
            shapes_ = f"{len(before.x0):,} to {len(after.x0):,}"
            print(f"| {shapes_} | {1000 * once:.0f} | {1000 * frame:.0f} |", flush=True)


def paje_text(events: int) -> str:
    """A trace of 64 processes that push and pop states."""
    fields = {
        "PajeDefineContainerType 0": "Alias string|Type string|Name string",
        "PajeDefineStateType 1": "Alias string|Type string|Name string",
        "PajeCreateContainer 2": "Time date|Alias string|Type string|Container string|Name string",
        "PajePushState 3": "Time date|Type string|Container string|Value string",
        "PajePopState 4": "Time date|Type string|Container string",
    }
    lines = []
    for name, own in fields.items():
        lines += [f"%EventDef {name}", *(f"%       {each}" for each in own.split("|")), "%EndEventDef"]
    lines += ["0 P 0 Process", "1 S P State"]
    lines += [f'2 0.0 p{each} P 0 "process {each}"' for each in range(64)]
    for number in range(events // 128):
        for rank in range(64):
            lines.append(f"3 {number + rank / 100:.6f} S p{rank} state{(number + rank) % 9}")
        for rank in range(64):
            lines.append(f"4 {number + 0.7 + rank / 300:.6f} S p{rank}")
    return "\n".join(lines) + "\n"


def paje(events: int) -> None:
    """Reading beside pj_dump, in processor time of each."""
    if shutil.which("pj_dump") is None:
        print("\npj_dump is not installed: Paje is not measured")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.trace"
        path.write_text(paje_text(events))
        read_traces(path)
        _, ours = best_of(lambda: read_traces(path))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with (Path(folder) / "out.csv").open("wb") as out:
            subprocess.run(["pj_dump", str(path)], stdout=out, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        theirs = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"\n{events:,} Paje events; processor ms")
    print("| pj_dump | ours | ours / pj_dump |")
    print("| ---: | ---: | ---: |")
    print(f"| {1000 * theirs:.0f} | {1000 * ours:.0f} | {ours / theirs:.2f} |")


if __name__ == "__main__":
    main()
