"""Do proposals end cycles of modules? Each is carried out on the graph of a public repository, and looked at anew.

python -m tests.judges.proposals CLONE...
"""

from __future__ import annotations

import sys
import time

from cbvtool.findings.cycles import cycles
from cbvtool.findings.finding import Examined
from cbvtool.plan import replay
from cbvtool.project import open_project
from cbvtool.proposals.breaking import broken_cycle, ends
from cbvtool.rules import tangles


def main() -> None:
    print("| repository | modules in the cycle | proposals | ending it | cheapest of these | places to change | CPU |")
    print("|---|---|---|---|---|---|---|")
    for clone in sys.argv[1:]:
        project = open_project(clone)
        examined = Examined(project.graph, project.changes)
        found = [one for one in cycles(examined) if "modules" in one.figures]
        if not found:
            print(f"| {project.path.name} | none |  |  |  |  |  |")
            continue
        cycle = max(found, key=lambda one: len(one.nodes))
        begun = time.process_time()
        offered = broken_cycle(examined, cycle.nodes, seconds=60.0)
        took = time.process_time() - begun
        ending = [one for one in offered if ends(examined, one.operations, cycle.nodes, "modules")]
        for one in offered:
            after = replay(examined.graph, one.operations)
            left = tangles(after, examined.on(after).module_of)
            assert sum(map(len, left)) == one.judgement.after.tangled <= one.judgement.before.tangled
        best = f"{ending[0].title} | {ending[0].estimate}" if ending else " | "
        row = f"{project.path.name} | {len(cycle.nodes)} | {len(offered)} | {len(ending)} | {best} | {took:.0f} s"
        print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
