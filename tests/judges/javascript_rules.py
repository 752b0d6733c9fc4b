"""Judges what breaks rules by what dependency-cruiser says of the same rules.

    python tests/judges/javascript_rules.py FOLDER ...

FOLDER is a checkout of axios or rollup, whose rules stand below, once in each language. dependency-cruiser comes from
npm, into out/judge-js. Compared are pairs (rule, file, file it uses); `import type` counts, but closes no cycle. Prints
one Markdown table row per checkout, then the pairs that are in one of the two only. Exit status 1 when there are any.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cbvtool.analysis import analyze
from cbvtool.rules import parse_rules, violations
from tests.judges.javascript_imports import TOOLS, copied, install

Broken = tuple[str, str, str]
HEADER = """\
| checkout | rules | violations here | of dependency-cruiser | in both |
| --- | ---: | ---: | ---: | ---: |"""

CYCLES = ({"name": "no cycles", "from": {}, "to": {"circular": True}}, "")


def forbidden(name: str, users: str, used: str) -> tuple[dict[str, Any], str]:
    """`users` must not use `used`, both patterns."""
    ours = f"[[rules.rule]]\nkind = 'forbidden'\nname = '{name}'\nfrom = 're:{users}'\nto = 're:{used}'\n"
    return {"name": name, "from": {"path": users}, "to": {"path": used}}, ours


def allowed(name: str, users: str, used: str) -> tuple[dict[str, Any], str]:
    """`users` may use themselves and `used` alone; packages are free."""
    theirs = {"name": name, "from": {"path": users}, "to": {"pathNot": f"{users}|{used}", "dependencyTypes": ["local"]}}
    return theirs, f"[[rules.rule]]\nkind = 'allowed'\nname = '{name}'\nfrom = 're:{users}'\nto = 're:{used}'\n"


def protected(name: str, modules: str, users: str) -> tuple[dict[str, Any], str]:
    """Only `users` may use `modules`."""
    theirs = {"name": name, "from": {"pathNot": f"{modules}|{users}"}, "to": {"path": modules}}
    return (
        theirs,
        f"[[rules.rule]]\nkind = 'protected'\nname = '{name}'\nmodules = 're:{modules}'\nusers = 're:{users}'\n",
    )


def layers(name: str, *folders: str) -> list[tuple[dict[str, Any], str]]:
    """Highest first; for dependency-cruiser a rule for each layer but the first."""
    theirs = [
        {"name": name, "from": {"path": f"^{low}/"}, "to": {"path": "|".join(f"^{high}/" for high in folders[:row])}}
        for row, low in enumerate(folders)
        if row
    ]
    ours = f"[[rules.rule]]\nkind = 'layers'\nname = '{name}'\nlayers = {list(folders)}\n"
    return [(rule, ours if row == 0 else "") for row, rule in enumerate(theirs)]


def reached(name: str, user: str, used: str) -> tuple[dict[str, Any], str]:
    """File `user` must not use file `used`, nor over others."""
    theirs = {"name": name, "from": {"path": f"^{user}$"}, "to": {"path": f"^{used}$", "reachable": True}}
    ours = f"[[rules.rule]]\nkind = 'forbidden'\nname = '{name}'\nfrom = '{user}'\nto = '{used}'\nover = 'chains'\n"
    return theirs, ours


RULES: dict[str, tuple[str, list[tuple[dict[str, Any], str]]]] = {
    "axios": (
        "lib",
        [
            forbidden("helpers stay below", "^lib/helpers/", "^lib/(core|adapters|defaults)/"),
            forbidden("utils stand alone", r"^lib/utils\.js$", "^lib/helpers/"),
            allowed("core", "^lib/core/", r"^lib/(helpers/|utils\.js$|cancel/)"),
            protected("adapters", "^lib/adapters/", "^lib/core/"),
            *layers("layers", "lib/adapters", "lib/core", "lib/helpers", "lib/platform"),
            reached("no way", "lib/axios.js", "lib/helpers/bind.js"),
            CYCLES,
        ],
    ),
    "rollup": (
        "src",
        [
            forbidden("utils stay below", "^src/utils/", "^src/(ast|finalisers|rollup|watch)/"),
            forbidden("nodes know no graph", "^src/ast/", r"^src/(Graph|Chunk|Bundle)\.ts$"),
            allowed("finalisers", "^src/finalisers/", "^src/(utils|rollup)/"),
            protected("watch", "^src/watch/", "^src/rollup/"),
            *layers("layers", "src/rollup", "src/finalisers", "src/ast", "src/utils"),
            reached("no way", "src/rollup/rollup.ts", "src/utils/base64.ts"),
            CYCLES,
        ],
    ),
}


def main() -> int:
    if not install():
        return 2
    print(HEADER, flush=True)
    different = []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in map(Path, sys.argv[1:]):
            copy = Path(scratch) / folder.name
            copied(folder.resolve(), copy)
            name = next(name for name in RULES if name in folder.name)
            inside, rules = RULES[name]
            ours, theirs = our_violations(copy, rules, inside), their_violations(copy, rules, inside)
            count = len({rule["name"] for rule, _ in rules})
            print(f"| {name} | {count} | {len(ours):,} | {len(theirs):,} | {len(ours & theirs):,} |", flush=True)
            different += [f"{name}, only here: {one}" for one in sorted(ours - theirs)]
            different += [f"{name}, only there: {one}" for one in sorted(theirs - ours)]
    print("\n".join(different[:60]))
    return int(bool(different))


def our_violations(folder: Path, rules: list[tuple[dict[str, Any], str]], inside: str) -> set[Broken]:
    graph = analyze(folder)
    stated = "".join(text for _, text in rules).replace("kind =", 'relations = "imports"\nkind =')
    stated = 'rules.cycles = "forbid"\n' + stated
    found = violations(graph, parse_rules(stated))
    every = {
        ("no cycles" if one.kind == "cycles" else one.rule, graph.ids[one.source], graph.ids[one.target])
        for one in found
    }
    return {one for one in every if one[1].startswith(f"{inside}/") and one[2].startswith(f"{inside}/")}


def their_violations(folder: Path, rules: list[tuple[dict[str, Any], str]], inside: str) -> set[Broken]:
    cycles = [rule for rule, text in rules if rule["to"].get("circular")]
    others = [rule for rule, _ in rules if rule not in cycles]
    every = [*cruised(folder, others, inside, types=True), *cruised(folder, cycles, inside, types=False)]
    return {one for one in every if one[1].startswith(f"{inside}/") and one[2].startswith(f"{inside}/")}


def cruised(folder: Path, rules: list[dict[str, Any]], inside: str, *, types: bool) -> list[Broken]:
    """What dependency-cruiser finds; with `import type` only if `types`."""
    options: dict[str, Any] = {"doNotFollow": {"path": "node_modules"}, "tsPreCompilationDeps": types}
    if (folder / "tsconfig.json").is_file():
        options["tsConfig"] = {"fileName": "tsconfig.json"}
    config = folder / "judge.json"
    severe = [rule | {"severity": "error"} for rule in rules]
    config.write_text(json.dumps({"forbidden": severe, "options": options}))
    done = subprocess.run(
        [TOOLS / "node_modules" / ".bin" / "depcruise", "--config", config.name, "--output-type", "json", inside],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    found = json.loads(done.stdout)["summary"]["violations"]
    return [(one["rule"]["name"], one["from"], one["to"]) for one in found]


if __name__ == "__main__":
    sys.exit(main())
