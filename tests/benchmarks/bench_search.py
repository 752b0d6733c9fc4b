"""Regular expressions over the names of a graph: processor time beside Python's `re`, name by name."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable

from cbvtool.asking.expression import ignores_case
from cbvtool.asking.names import DistinctNames
from cbvtool.asking.search import LETTERS
from cbvtool.matching import Pattern, compiled

NODES = 100_000
PATTERNS = (
    "parse",
    "^get.*Server",
    r"\d+7$",
    ".",
    "e",
    r"^(get|set)[A-Z]\w*Test",
    "x{2}",
    "Server9[0-9]{2}",
    "f1.*get",
    "[0-9]{3}.*node",
    r"\w+_private",
    "get|set|find",
)
_WORDS = (
    *[
        "get",
        "set",
        "parse",
        "node",
        "Tree",
        "walk",
        "find",
        "file",
        "name",
        "Graph",
        "index",
        "http",
        "Server",
        "util",
        "test",
        "_private",
        "core",
        "main",
    ],
)


def least(work: Callable[[], object]) -> float:
    """Milliseconds of processor time, the least of five."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) * 1000


def ours(index: DistinctNames, text: str, pattern: Pattern) -> None:
    """What a search does."""
    index.lines.found.clear()
    if LETTERS.fullmatch(text):
        index.holding(text)
    else:
        index.matching(pattern)


def main() -> None:
    chosen = random.Random(1)
    names = ["".join(chosen.choices(_WORDS, k=chosen.randint(1, 4))) + str(row % 977) for row in range(NODES)]
    index = DistinctNames.of(tuple(names))
    _made = index.lines
    sums = [0.0, 0.0]
    print(f"{NODES:,} names; ms with re, here, ratio")
    for text in PATTERNS:
        judge = re.compile(text, re.I if ignores_case(text) else 0)
        pattern = compiled(text, ignore_case=ignores_case(text))

        times = (
            least(lambda judge=judge: [judge.search(name) is not None for name in names]),  # type: ignore[misc]
            least(lambda text=text, pattern=pattern: ours(index, text, pattern)),  # type: ignore[misc]
        )
        sums = [total + one for total, one in zip(sums, times, strict=True)]
        print(f"{text:26} {times[0]:7.1f} {times[1]:7.1f} {times[1] / times[0]:6.2f}")
    print(f"{'all':26} {sums[0]:7.1f} {sums[1]:7.1f} {sums[1] / sums[0]:6.2f}")


if __name__ == "__main__":
    main()
