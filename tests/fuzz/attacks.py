"""Large crafted files, each read in a process of its own under limits: `python tests/fuzz/attacks.py [NAME...]`.

Prints what became of each, its processor time and the most memory of the process. `million` is no attack but a graph of
a million nodes and five million relations as cbvtool writes it (1.6 GB): it must be read. The status is 1 if one fails.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

ADDRESSES, SECONDS = 3_000_000_000, 60  # of address space and processor time, for an attack
READ = """
import resource, sys, time
from pathlib import Path
from cbvtool.errors import InputError
from cbvtool.formats import read_graph
begin = time.process_time()
try:
    graph = read_graph(Path(sys.argv[1]))[0]
    said = f"read: {len(graph):,} nodes, {len(graph.edges):,} relations"
except InputError as error:
    said = "refused: " + str(error).partition(": ")[2]
took, peak = time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{took:5.1f} s {peak:6.0f} MB  {said}")
"""
ROOT_NODE = '{"id":"","parent":null,"name":"r","kind":"x"}'


def own(nodes: str, rest: str = "") -> str:
    return f'{{"format":"cbvtool-graph","version":1,"root":"a","nodes":[{ROOT_NODE},{nodes}],"edges":[]{rest}}}'


def cells(count: int) -> str:
    row = '{{"id":"{0}","parent":"","name":"","kind":"x","metrics":{{"{0}":1}}}}'
    return own(",".join(map(row.format, range(count))))


def levels(count: int) -> str:
    row = '{{"id":"{0}","parent":"{1}","name":"","kind":"x"}}'
    return own(",".join(row.format(i, i - 1 if i else "") for i in range(count)))


def groups(count: int) -> str:
    ends = (" ".join(f"{letter}{i}" for i in range(count)) for letter in "ab")
    return f"digraph {{{{{next(ends)}}} -> {{{next(ends)}}}}}"


def defaults(count: int) -> str:
    keys = "".join(f"<key id='k{i}' for='node' attr.name='m{i}'><default>1</default></key>" for i in range(count))
    return f"<graphml>{keys}<graph>" + "".join(f"<node id='{i}'/>" for i in range(count)) + "</graph></graphml>"


def varint(number: int) -> bytes:
    done = b""
    while number > 127:
        done += bytes([number & 127 | 128])
        number >>= 7
    return done + bytes([number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def definition(symbol: bytes) -> bytes:
    return field(2, field(1, bytes((1, 0, 5))) + field(2, symbol) + bytes((3 << 3, 1)))


def long_ids(count: int) -> str:
    return "source,target\n" + "".join("/".join(f"{i}x{j}" for j in range(60)) + ",b\n" for i in range(count))


def million(folder: Path) -> Path:
    """A graph as our writer lays it out, written without making it."""
    file = folder / "million.json"
    ids, joint = [""], ("", ",\n")
    with file.open("w") as out:
        out.write(f'{{"format":"cbvtool-graph","version":1,"root":"big",\n"nodes":[\n{ROOT_NODE}')
        for i in range(1, 1_000_000):
            above, name = ids[(i - 1) // 20], f"name{i % 977}_{i}"
            node = f"{above}/{name}" if above else name
            ids.append(node)
            kind = "file" if i > 50_000 else "folder"
            out.write(
                f',\n{{"id":"{node}","parent":"{above}","name":"{name}","kind":"{kind}","file":"{node}","line":1,'
                f'"end_line":40,"metrics":{{"bytes":{i % 3000},"sloc":{i % 300}}}}}'
            )
        out.write('\n],\n"edges":[\n')
        for i in range(5_000_000):
            source, target = ids[1 + i % 999_999], ids[1 + (i * 7_919 + i // 999_999) % 999_999]
            out.write(
                f'{joint[i > 0]}{{"source":"{source}","target":"{target}","kind":"import","weight":1,'
                f'"confidence":"exact","sites":[["{source}",{i % 900 + 1}]]}}'
            )
        out.write('\n],\n"report":{"files":3,"skipped":[],"parse_errors":[]}}\n')
    return file


ATTACKS: dict[str, Callable[[], str | bytes]] = {
    "bomb.csv.gz": lambda: gzip.compress(b"a,b\n" * 60_000_000, 9),
    "rows.csv.gz": lambda: gzip.compress(b"a,b\n" * 2_000_000, 9),
    "wide.csv": lambda: "id," + "a," * 15_000_000,
    "ids.csv": lambda: long_ids(40_000),
    "cells.json": lambda: cells(22_300),
    "most_cells.json": lambda: cells(7_900),
    "levels.json": lambda: levels(60_000),
    "deep.json": lambda: '{"format":"cbvtool-graph","x":' + '{"a":' * 900_000 + "1" + "}" * 900_001,
    "lists.json": lambda: own(ROOT_NODE, ',"x":[' + "[]," * 20_000_000 + "1]"),
    "groups.dot": lambda: groups(4_400),
    "most_groups.dot": lambda: groups(480),
    "inner.dot": lambda: "digraph { " + "{ a -> " * 17_000 + " b " + " } -> c " * 17_000 + "}",
    "plus.dot": lambda: "digraph { " + '"a" + ' * 100_000 + '"b" }',
    "token.graphml": lambda: f"<graphml><graph><node id='{'a' * 60_000_000}'/></graph></graphml>",
    "port.graphml": lambda: "<graphml><graph>" + "<port>" * 50_000 + "</port>" * 50_000 + "</graph></graphml>",
    "defaults.graphml": lambda: defaults(20_000),
    "rel.gxl": lambda: "<gxl><graph><node id='a'/>" + "<rel>" * 42_000 + "</rel>" * 42_000 + "</graph></gxl>",
    "triples.rsf": lambda: "".join(f"{i:x} {i:x} {i:x}\n" for i in range(1_500_000)),
    "documents.scip": lambda: b"\x12\x00" * 9_000_000,
    "uses.scip": lambda: field(2, field(1, b"a.py") + b"\x12\x00" * 9_000_000),
    "symbol.scip": lambda: field(2, field(1, b"a.py") + definition(b"scip python p 1 " + b"a#" * 9_000_000)),
    "symbols.scip": lambda: field(
        2, field(1, b"a.py") + b"".join(definition(b"s p p 1 " + b"a#" * count) for count in range(1, 4_000))
    ),
    "again.scip": lambda: b"".join(
        field(2, field(1, b"a.py") + definition(b"s p p 1 f(%d)." % number)) for number in range(100_000)
    ),
}


def limited() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main() -> int:
    """Status 0 = each was read, or refused with a sentence, within the limits."""
    failed = 0
    for name in sys.argv[1:] or ATTACKS:
        with tempfile.TemporaryDirectory() as folder:
            if name == "million":
                file = million(Path(folder))
            else:
                file = Path(folder) / name
                content = ATTACKS[name]()
                file.write_bytes(content if isinstance(content, bytes) else content.encode())
            done = subprocess.run(
                [sys.executable, "-c", READ, str(file)],
                capture_output=True,
                text=True,
                env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"},
                preexec_fn=None if name == "million" else limited,
            )
            failed += done.returncode != 0
            said = done.stdout.strip() or f"FAILED with status {done.returncode}: {done.stderr.strip()[-200:]}"
            print(f"{name:<18} {file.stat().st_size / 1e6:8.2f} MB {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
