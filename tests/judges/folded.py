"""Per-stack differences of two recordings, ours against Brendan Gregg's difffolded.pl (TD-11).

folded.py SCRIPT A B: his script (github.com/brendangregg/FlameGraph; needs perl) and two recordings. The threads with
the most calls are compared, own times in ns, as they are and with A scaled to the length of B (-n). The script is given
what `trace.making.folding` makes of each recording alone. Status 1 = a stack differs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from cbvtool.trace.compare.identity import common_functions
from cbvtool.trace.compare.trees import call_tree
from cbvtool.trace.compare.union import UnionTree, union_tree
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces

Counts = dict[str, tuple[int, int]]


def main() -> int:
    """Print two lines."""
    script, *paths = (Path(each) for each in sys.argv[1:])
    traces = [next(part for part in read_traces(path) if isinstance(part, Trace)) for path in paths]
    common = common_functions(traces[0].functions, traces[1].functions)
    ids = common.of_reference, common.of_test
    threads = [int(np.argmax(np.diff(trace.threads.ptr))) for trace in traces]
    names = {
        number: f"{trace.functions.module[row]}:{trace.functions.name[row]}:{number}".replace(";", ",")
        for trace, own in zip(traces, ids, strict=True)
        for row, number in enumerate(own.tolist())
    }
    trees = [
        call_tree(trace, thread, own, common.count) for trace, thread, own in zip(traces, threads, ids, strict=True)
    ]
    ours = stacks(union_tree(trees[0], trees[1]), names)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for side in (0, 1):
            files.append(Path(folder) / f"{side}.folded")
            lines = folded_lines(
                folded(traces[side], threads=(threads[side],)), [names[each] for each in ids[side].tolist()]
            )
            files[-1].write_text("".join(lines), encoding="utf-8")
        for option, expected in (("", ours), ("-n", normalised(ours))):
            command = ["perl", str(script), *([option] if option else []), *map(str, files)]
            said = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
            theirs = {line.rsplit(" ", 2)[0]: tuple(map(int, line.rsplit(" ", 2)[1:])) for line in said.splitlines()}
            differ = {stack for stack in expected.keys() | theirs.keys() if expected.get(stack) != theirs.get(stack)}
            wrong += len(differ)
            print(f"difffolded.pl {option or '  '}: {len(theirs):,} stacks, {len(differ):,} differ")
            for stack in sorted(differ)[:5]:
                print(f"  {stack}: {theirs.get(stack)}, ours {expected.get(stack)}")
    return 1 if wrong else 0


def folded_lines(run: Profile, names: Sequence[str]) -> Iterator[str]:
    """A line for each call path: names of the functions, own time."""
    time = run.metric("time", inclusive=False)
    assert time is not None
    texts: list[str] = []
    for function, above, own in zip(run.function.tolist(), run.parent.tolist(), time.mean.tolist(), strict=True):
        texts.append(f"{texts[above]};{names[function]}" if above >= 0 else names[function])
        yield f"{texts[-1]} {int(own)}\n"


def stacks(union: UnionTree, names: Mapping[int, str]) -> Counts:
    """Own time in A and B of each stack."""
    texts, counted = [""] * len(union), (Counter[str](), Counter[str]())
    for row in range(1, len(union)):
        above, name = int(union.parent[row]), names[int(union.function[0, row])]
        texts[row] = f"{texts[above]};{name}" if above else name
        for side in (0, 1):
            counted[side][texts[row]] += int(union.own[side, row])
    return {text: (counted[0][text], counted[1][text]) for text in texts[1:]}


def normalised(counts: Counts) -> Counts:
    """A scaled to the length of B, cut off to whole numbers, as the option -n does."""
    one, other = (sum(both[side] for both in counts.values()) for side in (0, 1))
    return counts if one == other else {stack: (int(a * other / one), b) for stack, (a, b) in counts.items()}


if __name__ == "__main__":
    sys.exit(main())
