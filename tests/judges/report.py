"""Judges reports and fact sheets: every number by other means, and the page in a browser.

    python -m tests.judges.report [--since WHEN] [--keep FOLDER] CLONE ...

For each clone, with nothing kept before: `cbvtool report` as a program of its own, timed. What the page says of the
commits at both ends is counted anew in checkouts of these, from the graphs that `cbvtool analyze` saves and with
networkx; findings, cuts, hot spots and tasks are compared with the JSON of the other commands, efforts with the
formula, sheets with the text that pdftotext finds. Chromium (Debian packages chromium chromium-driver poppler-utils)
opens the page, axe-core (from npm, into out/judge-report) looks for faults, the page must ask for nothing, and the
answer must stand on a screen of 1280 x 800.
Exit status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np

import cbvtool
from cbvtool.asking.impact import is_test
from cbvtool.formats import read_graph
from cbvtool.graph import EXTERNAL, Graph
from cbvtool.plan import Group, History, Move
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.rules import dependencies
from tests.judges.browsers import Chromium
from tests.report.reading import ReadPage

ROOT = Path(__file__).parents[2]
TOOLS, AXE = ROOT / "out" / "judge-report", "axe-core@4.10.2"
WIDTH, HEIGHT = 1280, 800
_PICTURE = 1_000  # colours that a page without one does not have
HEADER = """\
| subject | page | numbers compared | different | seconds (processors) | axe: serious | first screen |
| --- | ---: | ---: | ---: | ---: | ---: | --- |"""


class Compared:
    """Pairs of a number on the page and the same by other means."""

    def __init__(self) -> None:
        self.count = 0
        self.faults: list[str] = []

    def same(self, what: str, page: object, other: object) -> None:
        """Count a pair; note it where it differs."""
        self.count += 1
        if page != other:
            self.faults.append(f"{what}: the page says {page!r}, it is {other!r}")


def command(*arguments: str | Path, home: Path) -> str:
    """What the program prints; its caches lie in `home`."""
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
    environment = {**os.environ, **folders, "PYTHONPATH": str(Path(cbvtool.__file__).parents[1])}
    asked = [sys.executable, "-m", "cbvtool", *map(str, arguments)]
    return subprocess.run(asked, check=False, capture_output=True, text=True, env=environment).stdout


def counted_anew(graph: Graph) -> dict[str, float]:
    """Figures of a whole project, from a graph that was saved and read."""
    tree, kinds = graph.tree, graph.kind_names
    is_file = np.array([kind == "file" for kind in kinds])[graph.kinds]
    outside = np.array([kind == EXTERNAL for kind in kinds])[graph.kinds]
    inside = (tree.depth >= 0) & ~outside
    for key in np.flatnonzero(outside).tolist():
        inside[graph.subtree(key)] = False
    looked = is_file & inside & ~is_test(graph)
    file = np.full(len(graph), -1)
    for key in tree.order.tolist():
        above = int(graph.parent[key])
        file[key] = key if is_file[key] else file[above] if above >= 0 else -1
    files: nx.DiGraph[int] = nx.DiGraph()
    for row in np.flatnonzero(dependencies(graph, type_checking=False)).tolist():
        user, used = (int(file[end[row]]) for end in (graph.edges.source, graph.edges.target))
        if user != used and user >= 0 and used >= 0 and looked[user] and looked[used]:
            files.add_edge(user, used)
    cycles = [component for component in nx.strongly_connected_components(files) if len(component) > 1]
    lines, complexity = (float(np.nansum(graph.values[name][inside])) for name in ("sloc", "complexity"))
    return {
        "Files": int(looked.sum()),
        "Source lines": lines,
        "Complexity": complexity,
        "Complexity per 100 lines": 100 * complexity / lines if lines else math.nan,
        "Cycles": len(cycles),
        "Files in cycles": sum(map(len, cycles)),
    }


def below(graph: Graph, folder: str) -> dict[str, float]:
    """Lines and complexity of what lies in a folder, by its path."""
    rows = [
        key for key, name in enumerate(graph.ids) if name == folder or name.startswith((f"{folder}/", f"{folder}::"))
    ]
    return {
        label: float(np.nansum(graph.values[name][rows]))
        for label, name in (("Source lines", "sloc"), ("Complexity", "complexity"))
    }


def text_of(name: str, value: float) -> str:
    """As the page writes it."""
    return f"{value:,.1f}" if "per 100" in name else f"{value:,.0f}"


def figures(read: ReadPage, clone: Path, scratch: Path, compared: Compared) -> list[Graph]:
    """Those of both commits, from checkouts of their own; the graphs of these."""
    graphs = []
    looked = re.search(r"Commits looked at: (.*?)\.", read.texts["main"])
    assert looked is not None
    ids = re.findall(r"([0-9a-f]{7}) of", looked[1])
    rows = {row[0]: row[1:] for row in read.tables["figures"][1:]}
    for column, commit in ((0, ids[0]), (1, ids[-1])):
        checkout = scratch / clone.name
        subprocess.run(["git", "clone", "-q", "--no-checkout", str(clone), str(checkout)], check=True)
        subprocess.run(["git", "checkout", "-q", commit], cwd=checkout, check=True)
        saved = scratch / f"{commit}.json"
        command("analyze", checkout, "--no-history", "-o", saved, home=scratch / "other")
        graph, _ = read_graph(saved)
        graphs.append(graph)
        for name, value in counted_anew(graph).items():
            compared.same(f"{name} at {commit}", rows[name][column], text_of(name, value))
        said = json.loads(command("check", checkout, "--format", "json", home=scratch / "other") or "{}")
        found = said.get("violations", [])
        if column:
            compared.same("Broken rules", rows["Broken rules"][1], f"{len(found):,}")
        subprocess.run(["rm", "-rf", str(checkout)], check=True)
    for name, (before, after, difference, *_) in rows.items():
        numbers = [float(text.replace(",", "")) for text in (before, after) if text != "–"]
        if len(numbers) == 2:
            much = numbers[1] - numbers[0]
            sign = "+" if much > 0 else "−"
            told = float(difference.strip("+−").replace(",", "") or 0)
            compared.same(
                f"difference of {name}",
                (difference[:1], abs(told - abs(much)) < 0.11),
                (sign if difference else "", True),
            )
    return graphs


def minutes(items: int, files: int, sites: int) -> int:
    """The formula of the estimate, with the usual weights."""
    return 5 * math.ceil((30 + 2 * max(0, items - 1) + 3 * files + sites) / 5)


def spoken(total: int) -> str:
    """Minutes for people."""
    hours, rest = divmod(total, 60)
    return f"{rest} min" if not hours else f"{hours:,} h {rest} min" if rest else f"{hours:,} h"


def findings(read: ReadPage, clone: Path, home: Path, compared: Compared) -> None:
    """Findings, cuts and hot spots beside `cbvtool findings`, efforts beside the formula."""
    said = json.loads(command("findings", clone, "--format", "json", home=home))["findings"]
    for row, one in zip(read.tables.get("found", [])[1:], said, strict=False):
        compared.same("finding", row[0], one["title"])
        if one["kind"] in ("cycle", "violation"):
            cycle = one["kind"] == "cycle"
            items = one["figures"]["cut_dependencies" if cycle else "pairs"]
            sites = one["figures"]["cut_sites" if cycle else "sites"]
            files = len({site["file"] for site in one["sites"]})
            compared.same("places", row[2], f"{sites:,}")
            compared.same("files", row[3], f"{files:,}")
            compared.same("effort", row[4], spoken(minutes(items, files, sites)))
    cycles = [one for one in said if one["kind"] == "cycle"]
    for row, one in zip(read.tables.get("cuts", [])[1:], cycles, strict=False):
        shown = one["figures"]
        compared.same("dependencies of a cycle", row[2], f"{shown['dependencies']:,}")
        compared.same("cut", row[3].split(" ")[0], f"{shown['cut_dependencies']:,}")
        compared.same("places of a cut", row[4], f"{shown['cut_sites']:,}")
        compared.same("members", row[1].split(" ")[0], f"{len(one['nodes']):,}")
    spots = [one for one in said if one["kind"] == "hot-spot"]
    for row, one in zip(read.tables.get("spots", [])[1:], spots, strict=False):
        shown = one["figures"]
        compared.same("hot spot", row[:3], [one["nodes"][0], f"{shown['complexity']:,}", f"{shown['commits']:,}"])
        compared.same("points", row[3], f"{shown['complexity'] * shown['commits']:,}")


def tasks(read: ReadPage, plan: Path, home: Path, compared: Compared) -> None:
    """The table of tasks beside `cbvtool tasks`."""
    said = json.loads(command("tasks", plan, "--format", "json", home=home))["tasks"]
    rows = read.tables["tasks"][1:]
    compared.same("number of tasks", len(rows), len(said))
    for row, one in zip(rows, said, strict=False):
        must = {
            (s["file"], s["line"] or 0, s.get("after", 0), s["kind"]) for s in one["sites"] if s["certainty"] == "must"
        }
        compared.same(
            "places of a task",
            row[1:5],
            [f"{len(must):,}", f"{one['files']:,}", f"{one['to_check']:,}", spoken(one["minutes"])],
        )


def planned(clone: Path, file: Path, home: Path) -> bool:
    """A document that moves the second file of the first cycle beside the first one; False = there is no cycle."""
    said = json.loads(command("findings", clone, "--format", "json", "--kind", "cycle", home=home))["findings"]
    project = cbvtool.open(str(clone)).project
    graph = project.graph
    for one in said:
        file_keys = [graph.key_of[site["file"]] for site in one["sites"] if site["file"] in graph.key_of]
        for key in file_keys:
            for other in one["nodes"]:
                history = History(graph, (Group("move", (Move((graph.ids[key],), other),)),))
                if graph.kind(graph.key_of[other]) != "file" and not history.refusals:
                    write_document(Document(clone, project.name, project.commit, (Plan.of(history),)), file)
                    return True
    return False


def sheet_texts(file: Path) -> list[str]:
    """The text of each page."""
    said = subprocess.run(["pdftotext", "-layout", str(file), "-"], check=True, capture_output=True, text=True).stdout
    return [page for page in said.split("\f") if page.strip()]


def fact_sheets(read: ReadPage, file: Path, graphs: list[Graph], compared: Compared) -> None:
    """The first sheet says what the page says, the others what lies in their folders; each is one page, and dated."""
    pages = sheet_texts(file)
    rows = {row[0]: row[1:] for row in read.tables["figures"][1:]}
    for line in pages[0].splitlines():
        for name, row in rows.items():
            if re.match(rf"\s*{re.escape(name)}\s+[\d–]", line):
                compared.same(f"sheet: {name}", line.split()[len(name.split()) :][:2], row[:2])
    for page in pages[1:]:
        lines = page.strip().splitlines()
        for label in ("Source lines", "Complexity"):
            told = next(re.split(r"\s{2,}", line.strip()) for line in lines if re.match(rf"\s*{label} {{2}}", line))
            for graph, shown in zip(graphs, told[1:3], strict=True):
                if shown != "–" and (value := below(graph, lines[0].strip())[label]):
                    compared.same(f"sheet of {lines[0].strip()}: {label}", shown, f"{value:,.0f}")
    for page in pages:
        compared.same("a dated sheet", bool(re.search(r"fact sheet of \d{4}-\d\d-\d\d", page)), True)


def in_browser(file: Path, keep: Path | None) -> tuple[list[str], str]:
    """(serious faults that axe finds, and what else is wrong; how far down the answer reaches)."""
    script = (TOOLS / "node_modules" / "axe-core" / "axe.min.js").read_text()
    browser = Chromium(WIDTH, HEIGHT)
    try:
        browser.open(file.resolve().as_uri())
        found = browser.run(f"{script}; return axe.run(document, {{iframes: false}})")
        faults = [
            f"axe: {one['id']} ({one['impact']}) {one['nodes'][0]['html'][:120]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        asked = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
        faults += [f"asked for {name[:80]}" for name in asked if not name.startswith(("data:", "about:"))]
        below = browser.run("return document.getElementById('tiles').getBoundingClientRect().bottom")
        if below > HEIGHT:
            faults.append(f"the answer ends {below - HEIGHT:.0f} pixels below the first screen")
        if keep:
            browser.shot().save(keep / f"{file.stem}.png")
        browser.run("document.querySelector('.turn').open = true; document.querySelector('iframe').scrollIntoView()")
        for _ in range(20):  # software draws it
            time.sleep(1)
            if len(browser.shot().resize((320, 200)).getcolors(64_000) or ()) > _PICTURE:
                break
        else:
            faults.append("the picture to be turned does not appear")
        if keep:
            browser.shot().save(keep / f"{file.stem}-turned.png")
    finally:
        browser.close()
    return faults, f"{below:.0f} of {HEIGHT} px"


def printed(file: Path, folder: Path) -> int:
    """How many pages the browser prints it on."""
    out = folder / f"{file.stem}-printed.pdf"
    options = ["--headless=new", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={out}"]
    subprocess.run([Chromium.binary, *options, file.resolve().as_uri()], check=True, capture_output=True)
    said = subprocess.run(["pdfinfo", str(out)], check=True, capture_output=True, text=True).stdout
    return int(re.search(r"Pages:\s+(\d+)", said)[1])  # type: ignore[index]  # pdfinfo always says so


def judged(clone: Path, since: str, keep: Path) -> Iterator[str]:
    """A row of the table, then what is wrong."""
    compared = Compared()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        page, sheets, plan = keep / f"{clone.name}.html", keep / f"{clone.name}.pdf", scratch / "plan.cbv"
        subject: Path = plan if planned(clone, plan, scratch / "first") else clone
        begin, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        command("report", subject, "-o", page, "--sheets", sheets, "--since", since, home=scratch / "cold")
        wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
        read = ReadPage(page.read_bytes())
        compared.faults += [f"structure: {fault}" for fault in read.faults]
        graphs = figures(read, clone, scratch, compared)
        findings(read, clone, scratch / "cold", compared)
        if subject is plan:
            tasks(read, plan, scratch / "cold", compared)
        fact_sheets(read, sheets, graphs, compared)
    try:
        faults, place = in_browser(page, keep)
    except (TimeoutError, RuntimeError) as error:  # on a machine that has no time for it
        faults, place = [f"the browser gave no answer: {error}"], "not seen"
    pages = printed(page, keep)
    size = f"{page.stat().st_size / 1e6:.1f} MB, {pages} pages printed"
    yield (
        f"| {clone.name} | {size} | {compared.count} | {len(compared.faults)} | {wall:.0f} ({spent:.0f}) "
        f"| {len(faults)} | {place} |"
    )
    yield from (f"- {clone.name}: {fault}" for fault in (*compared.faults, *faults))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clones", nargs="+", type=Path, metavar="CLONE")
    parser.add_argument("--since", default="1y", metavar="WHEN")
    parser.add_argument("--keep", type=Path, default=TOOLS, metavar="FOLDER", help="where pages and pictures go")
    chosen = parser.parse_args()
    if missing := Chromium.missing():
        print(f"{missing} not installed")
        return 2
    TOOLS.mkdir(parents=True, exist_ok=True)
    chosen.keep.mkdir(parents=True, exist_ok=True)
    (TOOLS / "package.json").write_text('{"private": true}\n')
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", AXE], cwd=TOOLS, check=True)
    print(HEADER)
    wrong = False
    for clone in chosen.clones:
        for number, line in enumerate(judged(clone.absolute(), chosen.since, chosen.keep)):
            print(line, flush=True)
            wrong |= number > 0
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
