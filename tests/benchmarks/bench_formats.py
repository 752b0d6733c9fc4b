"""Seconds and memory to read and write graphs of 100,000 nodes and 500,000 relations, in each format.

    python tests/benchmarks/bench_formats.py

Every reading is a process of its own; processor seconds, so that other work on the machine counts less.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cbvtool.formats import write_graph
from cbvtool.graph import Graph, GraphBuilder

NODES, RELATIONS = 100_000, 500_000
READ = """
import resource, sys, time
from pathlib import Path
from cbvtool.formats import read_graph
begin = time.process_time()
graph, _ = read_graph(Path(sys.argv[1]))
graph.tree
seconds = time.process_time() - begin
assert len(graph.edges) == int(sys.argv[2]), len(graph.edges)
print(f"{seconds:.1f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")
"""


def example() -> Graph:
    """Files in packages in folders, and random imports."""
    chance = random.Random(1)
    builder = GraphBuilder("large")
    for folder in range(NODES // 1000):
        builder.add_node(f"src/m{folder}", "", f"m{folder}", "folder")
    for package in range(NODES // 50):
        folder = package // 20
        builder.add_node(f"src/m{folder}/p{package}", f"src/m{folder}", f"p{package}", "package")
    files = []
    for number in range(NODES):
        above = f"src/m{number // 1000}/p{number // 50}"
        values = {"sloc": chance.randrange(500), "complexity": chance.randrange(50)}
        files.append(builder.add_node(f"{above}/f{number}.py", above, f"f{number}.py", "file", values=values))
    for _ in range(RELATIONS):
        builder.add_edge(chance.choice(files), chance.choice(files), "import")
    return builder.freeze()


def main() -> None:
    """Print one line for each format."""
    graph = example()
    print(f"{NODES:,} files, {len(graph.edges):,} relations: processor seconds, and the most memory of the reader")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".json", ".graphml", ".csv", ".rsf", ".dot"):
            file = Path(folder) / f"graph{suffix}"
            begin = time.process_time()
            write_graph(graph, file)
            written = time.process_time() - begin
            command = [sys.executable, "-c", READ, str(file), str(len(graph.edges))]
            seconds, memory = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
            size = sum(part.stat().st_size for part in Path(folder).iterdir()) / 1e6
            print(f"{suffix:9} written {written:4.1f} s  {size:4.0f} MB  read {seconds:>4} s  {memory:>4} MB")
            for part in Path(folder).iterdir():
                part.unlink()


if __name__ == "__main__":
    main()
