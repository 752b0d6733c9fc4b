"""How long a frame takes while orbiting.

    python tests/benchmarks/bench_frames.py [FOLDER] [--size 1600x1000] [--frames 60] [--depth N]

FOLDER is analysed and shown fully expanded; default: the installed networkx. Prints the median time of a frame
of the renderer, with and without the labels that a window computes for it, and how many renders VTK began.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from cbvtool.analysis import analyze
from cbvtool.drawing.renderer import Renderer
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import Mapping, ViewState
from cbvtool.layout.depth import deepest, expanded_to


def installed(package: str) -> Path:
    """The folder of an installed package."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed")
    return Path(spec.origin).parent


def scene_of(folder: Path, depth: int | None) -> Scene:
    graph = analyze(folder)
    state = ViewState(
        expanded=expanded_to(graph, deepest(graph) if depth is None else depth), mapping=Mapping(height="complexity")
    )
    return Pipeline().scene(graph, None, state)


def orbit(renderer: Renderer, scene: Scene, size: tuple[int, int], frames: int, moving: bool) -> None:
    camera = Camera.fit(*size)
    renderer.camera(camera)
    renderer.frame(moving=moving)
    before = renderer.frames
    alone, labelled, busy = [], [], []
    for number in range(frames):
        camera = camera.orbited(7.0, 1.0 if number % 2 else -1.0)
        start, cpu = time.perf_counter(), time.process_time()
        renderer.camera(camera)
        renderer.frame(moving=moving)
        alone.append(time.perf_counter() - start)
        busy.append(time.process_time() - cpu)
        furniture.labels(scene, camera, *size, moving=moving)
        labelled.append(time.perf_counter() - start)
    print(
        f"{'moving' if moving else 'still':7}"
        f"{1000 * statistics.median(alone):7.1f} ms a frame, {1000 * statistics.median(labelled):7.1f} with labels, "
        f"{1000 * statistics.median(busy):7.1f} of processor; slowest {1000 * max(alone):.0f}; "
        f"{1 / statistics.median(labelled):.0f} frames a second; {renderer.frames - before} renders for {frames} frames"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--size", default="1600x1000")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--depth", type=int)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    folder = options.folder or installed("networkx")
    scene = scene_of(folder, options.depth)
    print(
        f"{folder.name}: {len(scene.tree):,} items, {len(scene.curves):,} curves, "
        f"{len(scene.mesh.triangles):,} triangles; {width} x {height}; "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    start = time.perf_counter()
    renderer = Renderer(width, height)
    renderer.show(scene)
    renderer.frame()
    print(f"first  {1000 * (time.perf_counter() - start):7.1f} ms for the window and the first picture")
    orbit(renderer, scene, (width, height), options.frames, moving=True)
    orbit(renderer, scene, (width, height), max(options.frames // 6, 3), moving=False)
    renderer.close()


if __name__ == "__main__":
    main()
