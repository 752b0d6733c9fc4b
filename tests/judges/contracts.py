"""Judges `cbvtool check --contracts` by import-linter itself, which reads the sources on its own.

    python tests/judges/contracts.py SOURCES=PACKAGE ...

SOURCES is the folder that PACKAGE is imported from, in a checkout. For each package contracts of all types are made of
its children: layers in their order, each of the first four forbidden to use each of the last four, the middle ones
independent, the second protected from all but the first, no cycles between siblings; direct and indirect. Compared are
the sets of (importer, imported, line) in the chains that break each contract. Where several chains are equally short,
import-linter takes any of them: which one depends on the order of its sets. So it runs three times, with other seeds of
Python's hashes, and what differs is explained where import-linter differs from itself. Imports of `__future__` and of a
module by itself, which cbvtool does not keep, are left out. Exit status 1 when something is left unexplained.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cbvtool.analysis import analyze
from cbvtool.rules.contracts.checking import check_contracts
from cbvtool.rules.contracts.contract_file import read_contracts

Found = dict[str, set[tuple[str, str, int]]]

THEIRS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from importlinter.configuration import configure
configure()
from importlinter.application.use_cases import read_user_options, _register_contract_types, create_report
options = read_user_options(sys.argv[2])
_register_contract_types(options)
report = create_report(options, cache_dir=None)
found = {}
def walk(value, into):
    if isinstance(value, dict):
        if {"importer", "imported", "line_numbers"} <= value.keys():
            into.update((value["importer"], value["imported"], line) for line in value["line_numbers"])
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            walk(each, into)
    if hasattr(value, "illegal_links"):
        walk(value.illegal_links, into)
for contract, check in report.get_contracts_and_checks():
    into = set()
    walk(check.metadata, into)
    for breakers in check.metadata.get("cycle_breakers_by_package", {}).values():
        for importer, imported in breakers:
            for each in report.graph.get_import_details(importer=importer, imported=imported):
                into.add((importer, imported, each["line_number"]))
    found[contract.name] = sorted(into)
print("FOUND" + json.dumps(found))
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subject", nargs="+", metavar="SOURCES=PACKAGE")
    print("| package | contract | in both | only here | only import-linter | in some of its three runs only |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    left = 0
    for subject in parser.parse_args(arguments).subject:
        sources, _, package = subject.rpartition("=")
        left += judge(Path(sources).resolve(), package)
    return int(left > 0)


def judge(sources: Path, package: str) -> int:
    """Print a row for each contract; the result is how many imports are left unexplained."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, ".importlinter")
        file.write_text(contracts(sources, package))
        checked = check_contracts(analyze(sources), read_contracts(file))
        runs = [run(sources, Path(scratch), seed) for seed in range(3)]
    ours: Found = {}
    for one in checked.broken:
        ours.setdefault(one.rule, set()).update((link.importer, link.imported, link.line) for link in one.chain)
    left = 0
    for name in runs[0]:
        mine, theirs = ours.get(name, set()), runs[0][name]
        found = [each[name] for each in runs]
        vary = found[0].union(*found[1:]) - found[0].intersection(*found[1:])
        counts = (len(mine & theirs), len(mine - theirs), len(theirs - mine), len(vary))
        print(f"| {package} | {name} | {' | '.join(f'{count:,}' for count in counts)} |")
        unexplained = (mine ^ theirs) if not vary else set()
        for importer, imported, line in sorted(unexplained)[:20]:
            where = "here" if (importer, imported, line) in mine else "import-linter"
            print(f"    only {where}: {importer} -> {imported} (l. {line})")
        left += len(unexplained)
    return left


def run(sources: Path, folder: Path, seed: int) -> Found:
    """What import-linter finds: contract -> (importer, imported, line)."""
    done = subprocess.run(
        [sys.executable, "-c", THEIRS, str(sources), ".importlinter"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        check=False,
    )
    if "FOUND" not in done.stdout:
        raise SystemExit(f"import-linter failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    found = json.loads(done.stdout.partition("FOUND")[2])
    return {
        name: {tuple(row) for row in rows if row[0] != row[1] and row[1] != "__future__"}
        for name, rows in found.items()
    }


def contracts(sources: Path, package: str) -> str:
    """Contracts of all types about the children of a package."""
    folder = sources / package.replace(".", "/")
    children = sorted(
        path.stem
        for path in folder.iterdir()
        if (path / "__init__.py").is_file() or (path.suffix == ".py" and path.stem != "__init__")
    )
    names = [f"{package}.{child}" for child in children]
    third = max(1, len(names) // 3)
    sections: dict[str, dict[str, str | list[str]]] = {
        "layers": {"type": "layers", "layers": children, "containers": package},
        "forbidden": {"type": "forbidden", "source_modules": names[:4], "forbidden_modules": names[-4:]},
        "forbidden, direct": {
            "type": "forbidden",
            "source_modules": names[: 2 * third],
            "forbidden_modules": names[2 * third :],
            "allow_indirect_imports": "true",
        },
        "independence": {"type": "independence", "modules": names[third : third + 6]},
        "protected": {"type": "protected", "protected_modules": names[1], "allowed_importers": names[0]},
        "acyclic siblings": {"type": "acyclic_siblings", "ancestors": package},
    }
    lines = ["[importlinter]", f"root_package = {package}"]
    for number, (name, options) in enumerate(sections.items()):
        lines += [f"[importlinter:contract:{number}]", f"name = {name}"]
        for key, value in options.items():
            lines += [f"{key} =", *(f"    {one}" for one in value)] if isinstance(value, list) else [f"{key} = {value}"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
