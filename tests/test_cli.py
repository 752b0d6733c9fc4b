"""The command line."""

import csv
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

import cbvtool
from cbvtool import extensions, project
from cbvtool.cli import DONE, FAILED, FINDINGS, INTERRUPTED, main
from cbvtool.errors import Cancelled
from cbvtool.formats import read_graph, write_graph
from cbvtool.graph import EXTERNAL, Confidence, GraphBuilder
from cbvtool.plan import Group, History, Move, Remove
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.project import open_project
from tests.graph.compare import difference
from tests.test_project import git

SOURCE = str(Path(cbvtool.__file__).parents[1])
COMMANDS = (
    "open",
    "analyze",
    "render",
    "report",
    "tasks",
    "plan",
    "findings",
    "proposals",
    "check",
    "unused",
    "impact",
    "path",
    "query",
    "history",
    "evolution",
    "hotspots",
    "coupling",
    "people",
    "diff",
    "trace",
    "compare-traces",
    "mcp",
    "runs",
    "plugins",
)
Capture = pytest.CaptureFixture[str]
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, terminals and names that Windows does not have")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two packages, four modules, one file that does not parse and one that is binary; two commits."""
    folder = tmp_path_factory.mktemp("subject") / "shop"
    for package in ("core", "web"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text("")
    (folder / "core" / "order.py").write_text("class Order:\n    def total(self):\n        return 1\n")
    (folder / "core" / "price.py").write_text("from core.order import Order\n\nprint(Order)\n")
    (folder / "web" / "page.py").write_text("from core import order, price\n\nprint(order, price)\n")
    (folder / "broken.py").write_text("def f(:\n    pass\n")
    (folder / "garbage.py").write_bytes(bytes(range(256)))
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    (folder / "web" / "page.py").write_text("from core import order\n\nprint(order)\n")
    git(folder, "commit", "-q", "-a", "-m", "second")
    return folder


@pytest.fixture(scope="module")
def plan(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document about the shop with one move."""
    file = tmp_path_factory.mktemp("plan") / "plan.cbv"
    opened = open_project(shop)
    moves = Group("Move price.py to web", (Move(("core/price.py",), "web"),))
    write_document(
        Document(shop, "shop", opened.commit, (Plan.of(History(opened.graph).do(moves)),), view={"beta": 0.5}), file
    )
    return file


def run(*arguments: str | Path, **options) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONWARNINGS": "error", **options.pop("env", {})}
    command = [sys.executable, "-m", "cbvtool", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env=environment, check=False, **options)


def failure(capsys: Capture, *arguments: str | Path) -> str:
    """The one sentence that a command fails with."""
    assert main([str(argument) for argument in arguments]) == FAILED
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"cbvtool: [^\n]+[.?]\n", said.err), said.err
    assert "inside cbvtool" not in said.err
    return said.err.removeprefix("cbvtool: ").rstrip("\n")


# -- help and usage ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_examples(command: str, capsys: Capture) -> None:
    """--help with examples."""
    assert main([command, "--help"]) == DONE
    said = capsys.readouterr().out
    examples = re.findall(rf"^  cbvtool {command}\b.*$", said.partition("examples:")[2], re.MULTILINE)
    assert examples


def test_examples_can_be_typed(capsys: Capture) -> None:
    """What help shows is accepted: each example's arguments parse."""
    from cbvtool.cli import _parser

    shown = []
    for arguments in ([], *([command] for command in COMMANDS)):
        main([*arguments, "--help"])
        shown += re.findall(r"^  cbvtool (.*)$", capsys.readouterr().out, re.MULTILINE)
    assert len(shown) > len(COMMANDS)
    for example in shown:
        _parser().parse_args(shlex.split(example.partition(" |")[0]))


def test_help_lists_the_commands(capsys: Capture) -> None:
    """The commands, in the order of work."""
    assert main(["--help"]) == DONE
    said = capsys.readouterr().out
    assert re.findall(r"^    ([a-z-]+)(?: |$)", said, re.MULTILINE) == list(COMMANDS)


def test_the_manual_tells_of_every_option() -> None:
    """docs/cli.md is complete."""
    manual = (Path(__file__).parents[1] / "docs" / "cli.md").read_text()
    from cbvtool.cli import _parser

    commands = next(action for action in _parser()._actions if action.choices)
    assert set(commands.choices) == set(COMMANDS)  # type: ignore[arg-type]
    for name, parser in commands.choices.items():
        assert f"## cbvtool {name}" in manual
        section = manual.partition(f"## cbvtool {name}")[2].partition("\n## ")[0]
        for option in (option for action in parser._actions for option in action.option_strings[-1:]):
            assert option in ("--help", "--verbose") or f"`{option}" in section, (name, option)


def test_version(capsys: Capture) -> None:
    """The version on one line."""
    assert main(["--version"]) == DONE
    assert capsys.readouterr().out == f"cbvtool {cbvtool.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("", "are required: COMMAND; see cbvtool --help."),
        ("dance", "invalid choice: 'dance'"),
        ("--dance", "required"),
        ("analyze", "are required: PATH; see cbvtool analyze --help."),
        ("analyze . --dance", "Unrecognized arguments: --dance"),
        ("analyze . --his", "Unrecognized arguments: --his"),
        ("analyze . x", "Unrecognized arguments: x"),
        ("analyze . --jobs 0", "Argument --jobs: '0' is not a whole number from 1 to 1024"),
        ("analyze . --jobs two", "'two' is not a whole number"),
        ("analyze . --jobs ²", "'²' is not a whole number"),
        ("render .", "are required: -o/--output"),
        ("render . -o x.png --hierarchy teams", "There is no hierarchy 'teams'; there are folders, packages, owners"),
        ("render . -o x.png --hierarchy csv:none.csv", "none.csv cannot be read: No such file or directory."),
        ("render . -o x.png --size 100", "'100' is not a size such as 1600x1000, each side from 64 to 8192"),
        ("render . -o x.png --size 10x10", "'10x10' is not a size"),
        ("render . -o x.png --size 1600x99999", "'1600x99999' is not a size"),
        ("render . -o x.png --depth 0", "'0' is not a whole number"),
        ("render . -o x.png --beta 1.5", "'1.5' is not a number from 0 to 1"),
        ("render . -o x.png --beta nan", "'nan' is not a number from 0 to 1"),
        ("render . -o x.png --beta tight", "'tight' is not a number from 0 to 1"),
        ("render . -o x.png --preset pretty", "There is no preset 'pretty'; there are maintainability, hot-spots, "),
        ("render . -o x.png --scale log", "'log' does not say of what: write height=... or color=..."),
        ("render . -o x.png --scale height=cubic", "There is no scale 'cubic'; there are linear, log, quantile."),
        ("render . -o x.png --scale height=log:9:1", "The range of 'log:9:1' must end above its beginning."),
        ("render . -o x.png --scale height=log:few:", "'few' is not a value"),
        ("render . -o x.png --combine color=sum", "There is no way to combine nl3 'sum'; there are mean, median, max."),
        ("render . -o x.png --height kind", "Kind is a class, which can be shown by colour alone."),
        ("render . -o x.png --color-map jet", "There is no colour map 'jet'; there are cividis, ember, thesis."),
        ("render . -o x.png --thickness fat", "There is no thickness 'fat'; there are weight, count, none."),
        ("render . -o x.png --height altitude", "There is no metric 'altitude'; there are sloc, bytes, leaves"),
        ("tasks", "are required: FILE.cbv"),
        ("tasks x.cbv --format xml", "invalid choice: 'xml'"),
        ("unused", "are required: PATH"),
        ("unused . --entry", "Argument --entry: expected at least one argument"),
        ("impact .", "are required: NODE"),
        ("impact . a --depth 0", "'0' is not a whole number"),
        ("impact . a --format xml", "invalid choice: 'xml'"),
        ("path . a", "are required: B"),
        ("query .", "are required: EXPRESSION"),
        ("query . x --since yesterday", "'yesterday' is neither a date such as 2024-12-31 nor a time ago such as 1y"),
        ("query . x --until 2024-02-30", "'2024-02-30' is neither a date"),
        ("query . x --limit 0", "'0' is not a whole number"),
        ("plugins extra", "Unrecognized arguments: extra"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments: str, reason: str, capsys: Capture) -> None:
    """Exit status 2 for usage errors."""
    assert reason in failure(capsys, *arguments.split())


# -- analyze -------------------------------------------------------------------------------------------------------


def test_analyze_prints_a_summary(shop: Path, capsys: Capture) -> None:
    """Files, skipped by reason, nodes and edges by kind, time."""
    assert main(["analyze", str(shop)]) == DONE
    said = capsys.readouterr()
    assert said.err == ""
    lines = [re.sub(r"\s+", " ", line).strip() for line in said.out.splitlines()]
    assert lines[0] == f"shop ({shop})"
    assert "files 6" in lines
    assert "skipped 1" in lines
    assert lines[lines.index("skipped 1") + 2] == "garbage.py"
    assert re.fullmatch(r".*binary.*: 1", lines[lines.index("skipped 1") + 1])
    (errors,) = [line for line in lines if line.startswith("syntax errors")]
    assert re.fullmatch(r"syntax errors \d+\.\d % of the lines not understood, in 1 file", errors)
    assert lines[lines.index(errors) + 1] == "broken.py: 1 line"
    assert "nodes 13" in lines
    assert "7 file" in lines
    assert "2 package" in lines
    assert "2 import" in lines
    history = next(line for line in lines if line.startswith("history"))
    assert re.fullmatch(r"history 2 commits by 1 author, up to [0-9a-f]{7}\.", history)
    assert re.fullmatch(r"time [0-9.]+ s", lines[-1])


@pytest.mark.parametrize("name", ["graph.json", "graph.json.gz"])
def test_analyze_writes_the_graph(shop: Path, tmp_path: Path, capsys: Capture, name: str) -> None:
    """-o graph.json; 11: nothing is lost."""
    assert main(["analyze", str(shop), "-o", str(tmp_path / name)]) == DONE
    graph, history = read_graph(tmp_path / name)
    opened = open_project(shop)
    assert difference(graph, opened.graph) == []
    assert graph.report == opened.graph.report
    assert history is not None
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    capsys.readouterr()
    assert main(["analyze", str(tmp_path / name), "-o", str(tmp_path / "again.json")]) == DONE
    assert "2 commits" in capsys.readouterr().out
    assert difference(graph, read_graph(tmp_path / "again.json")[0]) == []


def test_analyze_to_standard_output(shop: Path) -> None:
    """Results to stdout: the graph and nothing else; the summary gives way."""
    done = run("analyze", shop, "-o", "-", "--jobs", "2")
    assert done.returncode == DONE
    assert json.loads(done.stdout)["root"] == "shop"
    assert done.stderr.startswith(b"shop (")


def test_analyze_without_history(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    """--no-history."""
    assert main(["analyze", str(shop), "--no-history", "-o", str(tmp_path / "graph.json")]) == DONE
    assert re.search(r"^history +not read$", capsys.readouterr().out, re.MULTILINE)
    graph, history = read_graph(tmp_path / "graph.json")
    assert history is None
    assert "commits" not in graph.values


def test_a_result_replaces_an_earlier_one(shop: Path, tmp_path: Path) -> None:
    """Working again and again on the same file is what -o is for; an empty file (mktemp) is nobody's."""
    output = tmp_path / "graph.json"
    output.touch()
    for folder in (shop / "core", shop):
        assert main(["analyze", str(folder), "-o", str(output)]) == DONE
        assert read_graph(output)[0].name == folder.name


# -- render --------------------------------------------------------------------------------------------------------


def test_render_draws_a_picture(shop: Path, tmp_path: Path) -> None:
    """A PNG of the size asked for, without a window."""
    output = tmp_path / "shop.png"
    assert main(["render", str(shop), "-o", str(output), "--size", "320x200"]) == DONE
    with Image.open(output) as image:
        assert (image.format, image.size) == ("PNG", (320, 200))
        assert len(image.convert("RGB").getcolors(320 * 200) or []) > 20


@pytest.mark.long
def test_every_option_of_render_changes_the_picture(shop: Path, tmp_path: Path) -> None:
    """Depth, mapping, straightening and view from above take effect; the same call, the same bytes."""
    graph = tmp_path / "shop.json"
    assert main(["analyze", str(shop), "-o", str(graph)]) == DONE
    pictures = {}
    for number, options in enumerate(
        (
            "",
            "--top",
            "--depth 1",
            "--depth 3",
            "--height commits",
            "--color complexity",
            "--angle bytes",
            "--beta 0",
            "--color age",
            "--preset ownership",
            "--preset thesis",
            "--scale height=quantile",
            "--scale color=linear:0:0.1",
            "--combine angle=mean",
            "--combine color=max",
            "--color-map cividis",
            "--color kind",
        )
    ):
        output = tmp_path / f"{number}.png"
        assert main(["render", str(graph), "-o", str(output), "--size", "400x300", *options.split()]) == DONE
        pictures[options] = output.read_bytes()
    assert len(set(pictures.values())) == len(pictures)
    assert main(["render", str(graph), "-o", str(tmp_path / "again.png"), "--size", "400x300"]) == DONE
    assert (tmp_path / "again.png").read_bytes() == pictures[""]


def test_render_shows_other_hierarchies(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    """CBV-13: each another picture; what a table names and is not there is told."""
    table = tmp_path / "teams.csv"
    table.write_text("core,Shop\nweb,Pages\nnowhere,Nobody\n")
    pictures = set()
    for name in ("folders", "packages", "owners", "languages", "age", f"csv:{table}"):
        output = tmp_path / "shop.png"
        size = ["--size", "900x700", "--hierarchy", name]
        assert main(["render", str(shop), "-o", str(output), *size]) == DONE
        pictures.add(output.read_bytes())
    assert len(pictures) == 6
    assert "1 path of the table is not there: nowhere (line 3)." in capsys.readouterr().err


def test_render_chooses_by_the_ending(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    """PNG, SVG, PDF and HTML; theme, density, legends and ground; what makes no sense is refused."""
    graph = tmp_path / "shop.json"
    assert main(["analyze", str(shop), "-o", str(graph)]) == DONE
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF-", ".html": b"<!doctype html>"}
    for suffix, begin in begins.items():
        found = set()
        for options in ("", "--theme dark", "--no-legends", "--size 500x500 --beta 0"):
            output = tmp_path / f"out{suffix}"
            assert main(["render", str(graph), "-o", str(output), *options.split()]) == DONE
            found.add(output.read_bytes())
            assert output.read_bytes().startswith(begin)
        assert len(found) == 4
    fine = tmp_path / "fine.png"
    assert main(["render", str(graph), "-o", str(fine), "--size", "200x150", "--density", "3", "--transparent"]) == DONE
    with Image.open(fine) as image:
        assert (image.size, image.mode) == ((600, 450), "RGBA")
    capsys.readouterr()
    for wrong in ("out.gif", "r.xyz", "out.png.bak", "out.2026"):
        said = failure(capsys, "render", graph, "-o", tmp_path / wrong)
        assert f"{wrong} ends in none of .png, .svg, .pdf, .html" in said
        assert not (tmp_path / wrong).exists()
    assert "do not support --density" in failure(capsys, "render", graph, "-o", tmp_path / "x.svg", "--density", "2")
    for option in ("--top", "--no-title"):
        assert f"do not support {option}" in failure(capsys, "render", graph, "-o", tmp_path / "x.html", option)
    small = tmp_path / "small.svg"
    assert main(["render", str(graph), "-o", str(small), "--size", "320x240", "--no-title"]) == DONE
    assert 'width="320" height="240" viewBox="0 0 640 480"' in small.read_text()  # legends beside the view
    assert ">shop</text>" not in small.read_text()
    assert main(["render", str(graph), "-o", str(small), "--size", "320x240", "--no-title", "--no-legends"]) == DONE
    assert 'viewBox="0 0 320 240"' in small.read_text()
    (tmp_path / "precious.svg").write_text("mine")
    said = failure(capsys, "render", graph, "-o", tmp_path / "precious.svg")
    assert "precious.svg exists already and holds no SVG picture" in said


def test_render_shows_guesses_and_packages_on_request(tmp_path: Path) -> None:
    """Both are hidden unless asked for."""
    builder = GraphBuilder("shop")
    for path in ("a.py", "b.py", "c.py"):
        builder.add_node(path, "", path, "file", file=path, values={"sloc": 10})
    builder.add_node("external", "", "(external)", EXTERNAL)
    builder.add_node("external:numpy", "external", "numpy", EXTERNAL)
    builder.add_edge(1, 2, "call", confidence=Confidence.GUESS)
    builder.add_edge(3, 5, "import")
    write_graph(builder.freeze(), tmp_path / "shop.json")
    pictures = set()
    for options in ((), ("--guesses",), ("--external",), ("--guesses", "--external")):
        output = tmp_path / "shop.png"
        assert main(["render", str(tmp_path / "shop.json"), "-o", str(output), "--size", "400x300", *options]) == DONE
        pictures.add(output.read_bytes())
    assert len(pictures) == 4


def test_render_shows_the_plan_of_a_document(shop: Path, plan: Path, tmp_path: Path) -> None:
    """Render FILE.cbv shows the target design, in the view that the document holds."""
    for name, source in {"now": shop, "then": plan}.items():
        options = ["--size", "400x300", "--depth", "2", "--beta", "0.5"]
        assert main(["render", str(source), "-o", str(tmp_path / f"{name}.png"), *options]) == DONE
    assert (tmp_path / "now.png").read_bytes() != (tmp_path / "then.png").read_bytes()


def test_render_says_when_a_metric_of_a_plugin_fails(
    shop: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken metric that was asked for is an error, not an empty picture."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "odd.py").write_text(
        'from cbvtool.api import Metric\nAPI = "0.1"\ndef register(registry):\n'
        '    registry.add_metric(Metric("odd", "Odd", "", "more", "sum", lambda subject: 1 / 0))\n'
    )
    monkeypatch.setattr(extensions, "plugin_folders", lambda: (tmp_path / "plugins",))
    said = failure(capsys, "render", shop, "-o", tmp_path / "x.png", "--height", "odd", "--size", "100x100")
    assert "plugin odd" in said
    assert "its metric odd raised ZeroDivisionError: division by zero" in said
    assert not (tmp_path / "x.png").exists()


def test_metrics_that_came_with_a_graph(tmp_path: Path, capsys: Capture) -> None:
    """NEW-3: a column of a table of nodes is a metric like any other; of a name that is none there is one sentence."""
    graph = tmp_path / "firm.csv"
    graph.write_text("id,parent,salary,tenure\nboss,,90,50\nann,boss,60,31\nbob,boss,40,44\ncyd,ann,30,22\n")
    pictures = set()
    for options in ("", "--height tenure", "--color salary", "--angle salary"):
        output = tmp_path / "p.png"
        assert main(["render", str(graph), "-o", str(output), "--size", "400x300", *options.split()]) == DONE
        pictures.add(output.read_bytes())
    assert len(pictures) == 4
    capsys.readouterr()
    said = failure(capsys, "render", graph, "-o", tmp_path / "p.png", "--height", "pay")
    assert said.startswith("There is no metric 'pay'; there are sloc, bytes, ")
    assert said.endswith("salary, tenure.")


# -- history -----------------------------------------------------------------------------------------------------


def test_history_counts_days_whole(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    """CBV-9: the columns are fixed; both ends of a range are included; `query` reads days in the same way."""
    assert main(["history", str(shop), "--format", "csv"]) == DONE
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "path,commits,added,deleted,authors,first,last"
    path, commits, added, _, authors, _, last = rows[0].split(",")
    assert int(commits) > 1
    assert int(added) > 0
    assert int(authors) >= 1
    assert main(["history", str(shop), "--since", last, "--until", last, "--format", "json"]) == DONE
    found = {row["path"]: row for row in json.loads(capsys.readouterr().out)}
    assert found[path]["last"] == found[path]["first"] == last
    asked = ["query", str(shop), f"path:{path} and kind:file and churn > 0", "--since", last, "--until", last]
    assert main([*asked, "--format", "csv"]) == DONE
    assert path in capsys.readouterr().out
    for file in ("a.csv", "a.json", "a.txt"):  # a result of the same sort may be replaced
        for _ in range(2):
            how = {"a.csv": "csv", "a.json": "json", "a.txt": "text"}[file]
            assert main(["history", str(shop), "--format", how, "-o", str(tmp_path / file)]) == DONE


def test_hot_spots_are_ranked(shop: Path, capsys: Capture) -> None:
    """NEW-17: complexity times commits, the most first."""
    assert main(["hotspots", str(shop), "--format", "json"]) == DONE
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["rank"] == 1
    assert all(row["points"] == row["commits"] * row["complexity"] for row in rows)
    assert [row["points"] for row in rows] == sorted((row["points"] for row in rows), reverse=True)
    assert main(["hotspots", str(shop)]) == DONE
    assert rows[0]["path"] in capsys.readouterr().out


# -- query -----------------------------------------------------------------------------------------------------


def test_a_query_is_answered_as_a_table(shop: Path, capsys: Capture) -> None:
    """CBV-7: the most of the first metric first, with units; the number of matches goes to standard error."""
    assert main(["query", str(shop), "kind:file and sloc > 0", "--metrics", "commits,loc", "--limit", "2"]) == DONE
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert re.split(r"  +", lines[0].strip()) == ["Source lines", "Commits", "Kind", "Path"]
    assert len(lines) == 3
    counts = [int(line.split()[0]) for line in lines[1:]]
    assert counts == sorted(counts, reverse=True)
    assert re.search(r"\d+ lines?  +\d commits?  file  \S+\.py$", lines[1])
    assert re.fullmatch(r"\d+ matches, 2 of them shown\n", said.err)


def test_a_query_is_answered_for_machines(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    """CBV-7: CSV and JSON have plain numbers, in the same order; what was not measured is empty."""
    assert main(["query", str(shop), "kind:file sloc >= 0", "--metrics", "fan_in", "--format", "json"]) == DONE
    answer = json.loads(capsys.readouterr().out)
    assert answer["query"] == "kind:file sloc >= 0"
    file = tmp_path / "answer.csv"
    arguments = ["query", str(shop), "kind:file sloc >= 0", "--metrics", "fan_in", "--format", "csv", "-o", str(file)]
    assert main(arguments) == DONE
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["id", "kind", "sloc", "fan_in"]
    assert [row["id"] for row in rows] == [match["id"] for match in answer["matches"]]
    assert [float(row["sloc"]) for row in rows] == [match["metrics"]["sloc"] for match in answer["matches"]]
    assert main(arguments) == DONE  # an answer may be replaced
    file.write_text("my notes")
    assert "exists already and holds no answer: choose another name" in failure(capsys, *arguments)


def test_a_query_compares_classes(shop: Path, capsys: Capture) -> None:
    """CBV-7: languages, kinds and authors by their names, which CSV and JSON tell, too."""
    assert "No main author is called nobody" in failure(capsys, "query", str(shop), "main_author != nobody")
    query = "language == python and kind in (file, class)"
    arguments = ["query", str(shop), query, "--metrics", "main_author", "--format", "json"]
    assert main(arguments) == DONE
    matches = json.loads(capsys.readouterr().out)["matches"]
    assert {match["metrics"]["language"] for match in matches} == {"Python"}
    assert {match["kind"] for match in matches} == {"file", "class"}
    author = matches[0]["metrics"]["main_author"]
    assert main(["query", str(shop), f"author == '{author.upper()}' kind:file", "--format", "csv"]) == DONE
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {row["main_author"] for row in rows} == {author}


def test_a_query_counts_a_range_of_the_history(shop: Path, capsys: Capture) -> None:
    """CBV-7: which files changed in a time, as a day or as a time before the end of the history."""
    for since, found in (("2000-01-01", True), ("20y", True), ("2999-01-01", False)):
        assert main(["query", str(shop), "kind:file commits > 0", "--since", since]) == DONE
        assert (capsys.readouterr().out != "") == found


def test_a_query_that_is_none_is_one_sentence(shop: Path, capsys: Capture) -> None:
    said = failure(capsys, "query", shop, "kind:file and nl4 > 3")
    assert said == "nl4 is not a metric: did you mean nl3? (character 15)."
    assert failure(capsys, "query", shop, " ").startswith("The query is empty: ")
    assert failure(capsys, "query", shop, "x", "--metrics", "pay").startswith("pay is not a metric")


# -- findings --------------------------------------------------------------------------------------------------


def test_findings_are_told(shop: Path, capsys: Capture, tmp_path: Path) -> None:
    """NEW-21: as text, as JSON in a file, of some kinds, and no more than asked for; asking ends with 0."""
    assert main(["findings", str(shop)]) == DONE
    assert capsys.readouterr().out.startswith("Findings in shop: ")
    output = tmp_path / "findings.json"
    arguments = ["findings", str(shop), "--kind", "unused", "--limit", "1", "--format", "json", "-o", str(output)]
    for _again in range(2):
        assert main(arguments) == DONE
    assert {one["kind"] for one in json.loads(output.read_text())["findings"]} <= {"unused"}
    said = failure(capsys, "findings", shop, "--kind", "beauty")
    assert "violation" in said
    output.write_text("precious")
    assert "holds no list of findings" in failure(capsys, "findings", shop, "-o", output)


# -- proposals -------------------------------------------------------------------------------------------------


def test_proposals_are_told(shop: Path, capsys: Capture, tmp_path: Path) -> None:
    """NEW-2: cycles and moves without a node, the place of a file, groups of a folder; as text and as JSON."""
    assert main(["proposals", str(shop)]) == DONE
    assert capsys.readouterr().out.startswith("Proposals for shop: ")
    output = tmp_path / "proposals.json"
    assert main(["proposals", str(shop), "core/price.py", "--format", "json", "-o", str(output)]) == DONE
    told = json.loads(output.read_text())
    assert told["format"] == "cbvtool-proposals"
    assert told["places"]
    assert main(["proposals", str(shop), "core", "--kind", "cluster"]) == DONE
    assert capsys.readouterr().out == "Proposals for shop: 0\n"  # it is not flat
    assert "name one folder" in failure(capsys, "proposals", shop, "--kind", "cluster")
    assert "which file" in failure(capsys, "proposals", shop, "--kind", "place")


# -- unused ----------------------------------------------------------------------------------------------------


@pytest.fixture
def old_code(tmp_path: Path) -> Path:
    """main.py uses a.f; a.old and c.py use each other alone; d.py is used by a test."""
    folder = tmp_path / "subject"
    (folder / "tests").mkdir(parents=True)
    (folder / "main.py").write_text("import a\n\na.f()\n")
    (folder / "a.py").write_text("import c\n\ndef f():\n    return 1\n\ndef old():\n    return c.Helper()\n")
    (folder / "c.py").write_text("class Helper:\n    pass\n")
    (folder / "d.py").write_text("def handle_order():\n    return 1\n\ndef g():\n    return 2\n")
    (folder / "tests" / "test_d.py").write_text("import d\n\nd.g()\n")
    return folder


def test_unused_code_is_listed(old_code: Path, capsys: Capture) -> None:
    """CBV-10: sets that can be removed together, what can go first, what was taken for an entry point."""
    assert main(["unused", str(old_code)]) == FINDINGS
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out.startswith(
        "2 sets of unused code, candidates for removal:\n\n"
        "1. 4 source lines in 2 places\n   a.py::old\n   then c.py::Helper\n\n"
        "2. 2 source lines in 1 place\n   d.py::handle_order\n\n"
        "Entry points that are built in: __main__.py main.* "
    )
    assert "of your own" not in said.out


def test_entry_points_can_be_named(old_code: Path, capsys: Capture) -> None:
    """CBV-10: several entry configurations; the settings of the folder count as well."""
    assert main(["unused", str(old_code), "--entry", "::handle_*", "::old"]) == DONE
    out = capsys.readouterr().out
    assert out.startswith("0 sets of unused code.\n")
    assert out.endswith("Entry points of your own: ::handle_* ::old\n")
    (old_code / "cbvtool.toml").write_text('[analysis]\nentry_points = ["::handle_*"]\n')
    assert main(["unused", str(old_code), "--entry", "!tests/**", "--entry", "::old"]) == FINDINGS
    out = capsys.readouterr().out
    assert out.startswith("1 set of unused code")
    assert "d.py::g" in out
    assert out.endswith("Entry points of your own: ::handle_* !tests/** ::old\n")


def test_unused_code_of_a_plan(old_code: Path, tmp_path: Path, capsys: Capture) -> None:
    """A document is looked at as it is planned."""
    opened = open_project(old_code)
    steps = Group("Remove a.old", (Remove(("a.py::old",)),))
    file = tmp_path / "plan.cbv"
    write_document(Document(old_code, "p", opened.commit, (Plan.of(History(opened.graph).do(steps)),)), file)
    assert main(["unused", str(file)]) == FINDINGS
    out = capsys.readouterr().out
    assert "a.py::old" not in out
    assert "c.py::Helper" in out


def test_unused_needs_an_entry_point(old_code: Path, capsys: Capture) -> None:
    """Without one all would be unused, or nothing; a pattern that is none is named."""
    said = failure(capsys, "unused", old_code, "--entry", "!**", "!::*")
    assert said.endswith("name what is used from outside with --entry.")
    assert failure(capsys, "unused", old_code, "--entry", "!").startswith("'!' is not a pattern of entry points")


# -- tasks ---------------------------------------------------------------------------------------------------------


def test_tasks_are_printed_as_markdown(plan: Path, capsys: Capture) -> None:
    """DND-5: the plan as a list for people."""
    assert main(["tasks", str(plan)]) == DONE
    said = capsys.readouterr()
    assert said.out.startswith("# ")
    assert "price.py" in said.out
    assert said.err == ""


@pytest.mark.parametrize("kind", ["markdown", "csv", "json"])
def test_tasks_are_written_in_each_format(plan: Path, tmp_path: Path, capsys: Capture, kind: str) -> None:
    """--format markdown|csv|json [-o FILE]; both ways give the same text, and it can be replaced."""
    assert main(["tasks", str(plan), "--format", kind, "-o", str(tmp_path / "tasks")]) == DONE
    assert main(["tasks", str(plan), "--format", kind, "-o", str(tmp_path / "tasks")]) == DONE
    assert capsys.readouterr().out == ""
    written = (tmp_path / "tasks").read_text(encoding="utf-8")
    for arguments in ([], ["-o", "-"]):
        assert main(["tasks", str(plan), "--format", kind, *arguments]) == DONE
        assert capsys.readouterr().out == written
    if kind == "json":
        assert len(json.loads(written)["tasks"]) == 1
    if kind == "csv":
        assert len(list(csv.DictReader(io.StringIO(written)))) == 1


def test_steps_that_no_longer_fit_are_findings(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    """Exit status 1: the list is there, but something needs a look."""
    groups = tuple(Group(name, (Move((f"core/{name}",), "web"),)) for name in ("price.py", "gone.py"))
    write_document(Document(shop, "shop", plans=(Plan("Plan 1", groups),)), tmp_path / "plan.cbv")
    assert main(["tasks", str(tmp_path / "plan.cbv")]) == FINDINGS
    said = capsys.readouterr()
    assert "price.py" in said.out
    assert re.fullmatch(r"cbvtool: A step of the plan no longer fits[^\n]*gone\.py[^\n]*\n", said.err)


# -- plugins -------------------------------------------------------------------------------------------------------


def test_plugins_are_listed(capsys: Capture) -> None:
    """Name, version, what it contributes, where it comes from."""
    assert main(["plugins"]) == DONE
    said = capsys.readouterr().out
    assert re.search(r"^age 1\.0 +metric age$", said, re.MULTILINE)
    assert f"from {Path(__file__).parents[1] / 'plugins' / 'age.py'}" in said


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="XDG folders")
def test_a_broken_plugin_is_a_finding(own_settings: Path, capsys: Capture, shop: Path) -> None:
    """Reported with the reason, exit status 1; other commands go on without it."""
    own = own_settings / "data" / "cbvtool" / "plugins"
    own.mkdir(parents=True)
    (own / "bad.py").write_text("def register(:\n")
    assert main(["plugins"]) == FINDINGS
    said = capsys.readouterr().out
    assert re.search(r"^bad +broken: syntax error in line 1: invalid syntax$", said, re.MULTILINE)
    assert re.search(r"^age ", said, re.MULTILINE)
    assert main(["analyze", str(shop)]) == DONE


def test_plugins_of_the_subject_are_never_loaded(tmp_path: Path) -> None:
    """Design 6 and 8: the repository under analysis is data, even when it has a folder like ours."""
    evil = "import pathlib; pathlib.Path(__file__).with_name('ran').touch()\n"
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "evil.py").write_text(evil)
    (tmp_path / "evil.py").write_text(evil)
    (tmp_path / "evil-1.0.dist-info").mkdir()
    (tmp_path / "evil-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (tmp_path / "evil-1.0.dist-info" / "entry_points.txt").write_text("[cbvtool.plugins]\nevil = evil\n")
    for arguments in (["analyze", "."], ["render", ".", "-o", "x.png", "--size", "64x64"], ["plugins"]):
        done = run(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (DONE, b""), done.stderr
        assert b"evil" not in done.stdout or arguments[0] == "analyze"
    assert not list(tmp_path.rglob("ran"))


# -- bad input -----------------------------------------------------------------------------------------------------


@pytest.fixture
def bad(tmp_path: Path, shop: Path) -> Path:
    """A folder of things that cannot be opened."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "source.py").write_text("import os\n")
    git(tmp_path, "init", "-q", "--bare", "bare")
    write_graph(open_project(shop).graph, tmp_path / "graph.json")
    text = (tmp_path / "graph.json").read_text()
    (tmp_path / "cut.json").write_text(text[:-100])
    (tmp_path / "cut.json.gz").write_bytes(b"\x1f\x8b\x08")
    (tmp_path / "newer.json").write_text(text.replace('"version":1', '"version":2'))
    (tmp_path / "other.json").write_text('{"nodes": []}')
    write_document(Document(shop, "shop"), tmp_path / "plan.cbv")
    text = (tmp_path / "plan.cbv").read_text()
    (tmp_path / "cut.cbv").write_text(text[:-20])
    (tmp_path / "newer.cbv").write_text(text.replace('"version": 2', '"version": 3'))
    write_document(Document(tmp_path / "gone", "gone"), tmp_path / "moved.cbv")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "does not exist"),
        ("source.py", "is a file and no saved graph"),
        ("empty", "holds no file"),
        ("bare", "bare git repository"),
        ("cut.json", "it is cut off"),
        ("cut.json.gz", "the compressed file is cut off"),
        ("newer.json", "its version is 2"),
        ("other.json", "it is not a cbvtool graph"),
    ],
)
@pytest.mark.parametrize("command", ["analyze", "render"])
def test_bad_subjects(bad: Path, capsys: Capture, command: str, name: str, reason: str) -> None:
    """Exit status 2, one sentence naming the thing and the reason, and nothing written."""
    before = {path: path.read_bytes() for path in bad.rglob("*") if path.is_file()}
    said = failure(capsys, command, bad / name, "-o", bad / "out")
    assert reason in said
    assert name in said
    assert {path: path.read_bytes() for path in bad.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.cbv", "does not exist"),
        ("cut.cbv", "cut off"),
        ("newer.cbv", "newer"),
        ("empty", "is a folder"),
        ("moved.cbv", "which is not there: was it moved or renamed?"),
    ],
)
@pytest.mark.parametrize("command", ["tasks", "render"])
def test_bad_documents(bad: Path, capsys: Capture, command: str, name: str, reason: str) -> None:
    """A truncated or future .cbv, and a subject that was moved."""
    if (command, name) == ("render", "empty"):
        reason = "holds no file"
    said = failure(capsys, command, bad / name, "-o", bad / "out")
    assert reason in said
    assert name in said
    assert not (bad / "out").exists()


@pytest.mark.parametrize("name", ["missing", "missing.cbv"])
def test_open_needs_something_to_open(tmp_path: Path, capsys: Capture, name: str) -> None:
    """Said before a window shows."""
    assert failure(capsys, "open", tmp_path / name) == f"{tmp_path / name} does not exist."


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("analyze SHOP -o FOLDER", "is a folder: name a file in it"),
        ("analyze SHOP -o FOLDER/no/graph.json", "there is no folder"),
        ("analyze SHOP -o FOLDER/source.py", "ends as no format of graphs does"),
        ("analyze SHOP -o FOLDER/plan.cbv", "ends as no format of graphs does"),
        ("analyze FOLDER/graph.json -o FOLDER/graph.json", "is what is read: choose another name for the result"),
        ("render SHOP -o -", "A picture needs the name of a file"),
        ("render SHOP -o FOLDER/graph.json", "graph.json ends in none of .png, .svg, .pdf, .html"),
        ("render FOLDER/plan.cbv -o FOLDER/plan.cbv", "plan.cbv ends in none of .png, .svg, .pdf, .html"),
        ("tasks FOLDER/plan.cbv -o FOLDER/plan.cbv", "does not end as markdown does: name it .md."),
        ("tasks FOLDER/plan.cbv -o FOLDER/graph.json", "exists already and holds no task list"),
        ("tasks FOLDER/plan.cbv -o FOLDER/source.py", "exists already and holds no task list"),
        ("analyze SHOP -o FOLDER/cut.json.gz", "exists already and holds no graph"),
        ("impact SHOP core -o FOLDER/moved.csv --format json", "name it .json, or choose --format csv"),
    ],
)
def test_nothing_is_overwritten_by_mistake(bad: Path, shop: Path, capsys: Capture, arguments: str, reason: str) -> None:
    """Nothing overwritten; a slip of -o must not cost a source file or a plan."""
    before = {path: path.read_bytes() for path in bad.rglob("*") if path.is_file()}
    words = arguments.replace("SHOP", str(shop)).replace("FOLDER", str(bad)).split()
    assert reason in failure(capsys, *words)
    assert {path: path.read_bytes() for path in bad.rglob("*") if path.is_file()} == before


@posix
def test_odd_names_stay_on_one_line(tmp_path: Path) -> None:
    """Spaces, quotes, newlines, non-ASCII, and bytes that are no text."""
    folder = tmp_path / "a 'b' \"c\"\nd ä"
    folder.mkdir()
    os.makedirs(os.path.join(os.fsencode(folder), b"sub \xff\n"))
    (folder / "x\ny.py").write_text("def f(:\n")
    done = run("analyze", folder)
    assert (done.returncode, done.stderr) == (DONE, b"")
    assert b"a 'b' \"c\"\\nd" in done.stdout
    assert all(re.match(rb"\S|    ", line) for line in done.stdout.splitlines())
    done = run("render", folder, "-o", tmp_path / "odd.png", "--size", "300x200", "--depth", "3")
    assert (done.returncode, done.stderr) == (DONE, b"")
    for missing in (folder / "none", os.path.join(os.fsencode(tmp_path), b"\xff\n")):
        done = run("analyze", missing if isinstance(missing, Path) else os.fsdecode(missing))
        assert (done.returncode, done.stdout) == (FAILED, b"")
        assert re.fullmatch(rb"cbvtool: [^\n]+ does not exist\.\n", done.stderr), done.stderr


def test_an_encoding_without_the_characters_is_no_error(tmp_path: Path) -> None:
    """A terminal that cannot show a name shows it escaped."""
    (tmp_path / "ä").mkdir()
    (tmp_path / "ä" / "a.py").write_text("x = 1\n")
    done = run("analyze", tmp_path / "ä", env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (DONE, b"")
    assert done.stdout.startswith(b"\\xe4 (")


@posix
def test_odd_files_are_counted_and_listed(tmp_path: Path, capsys: Capture) -> None:
    """A 200 MB file, binary garbage, Latin-1, UTF-16, links in circles and out of the folder."""
    subject = tmp_path / "odd"
    subject.mkdir()
    with (subject / "huge.py").open("wb") as file:
        file.truncate(200 * 2**20)
    (subject / "garbage.py").write_bytes(bytes(range(256)))
    (subject / "latin.py").write_bytes(b'x = "\xe9"\n')
    (subject / "latin_said.py").write_bytes(b'# -*- coding: latin-1 -*-\nx = "\xe9"\n')
    (subject / "utf16.py").write_bytes("x = 1\n".encode("utf-16"))
    (subject / "loop").symlink_to("loop")
    (subject / "circle").symlink_to(".")
    (subject / "outside").symlink_to("/etc")
    os.mkfifo(subject / "pipe.py")
    assert main(["analyze", str(subject), "-o", str(tmp_path / "graph.json")]) == DONE
    said = capsys.readouterr()
    assert said.err == ""
    report = read_graph(tmp_path / "graph.json")[0].report
    left_out = {skipped.path: skipped.reason for skipped in report.skipped}
    assert {"huge.py", "garbage.py", "latin.py", "loop", "circle", "outside", "pipe.py"} <= set(left_out)
    assert "latin_said.py" not in left_out
    for path, reason in left_out.items():
        assert re.search(rf"^    {re.escape(reason)}: [0-9]+$", said.out, re.MULTILINE)
        assert re.search(rf"^ +{re.escape(path)}$", said.out, re.MULTILINE)


# -- errors, interruption, pipes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["analyze", ""], "Argument PATH: the path is empty"),
        (["analyze", "SHOP", "--cache", ""], "Argument --cache: the path is empty"),
        (["analyze", "SHOP", "-o", ""], "the path is empty"),
        (["open", ""], "the path is empty"),
        (["impact", "SHOP", ""], "Argument NODE: the name is empty"),
        (["path", "SHOP", "core", ""], "Argument B: the name is empty"),
        (["unused", "SHOP", "--entry", ""], "A pattern of --entry is empty"),
        (["unused", "SHOP", "--entry", "::*"], "'::*' names everything"),
        (["unused", "SHOP", "--entry", "**/*::**"], "names everything"),
        (["unused", "SHOP", "--entry", "**"], "names everything"),
    ],
)
def test_an_empty_argument_is_a_slip(shop: Path, capsys: Capture, arguments: list[str], reason: str) -> None:
    """Audit L2: a variable that is not set stood for the current folder, or for the root."""
    assert reason in failure(capsys, *[str(shop) if word == "SHOP" else word for word in arguments])


@pytest.mark.parametrize("pattern", ["core/", "*.py::main", "!**", "::__*__"])
def test_patterns_that_name_less_are_taken(shop: Path, capsys: Capture, pattern: str) -> None:
    """What is refused is what leaves nothing to find."""
    assert main(["unused", str(shop), "--entry", pattern, "core/price.py"]) in (DONE, FINDINGS)


@posix
@pytest.mark.parametrize("closed", range(8))
def test_any_stream_may_be_closed(shop: Path, tmp_path: Path, closed: int) -> None:
    """Audit M6: `2>&-` ended in an AttributeError, and without a result."""
    redirections = " ".join(text for i, text in enumerate(("<&-", ">&-", "2>&-")) if closed & 1 << i)
    graph = tmp_path / "graph.json"
    command = f'"$@" {redirections}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", sys.executable, "-m", "cbvtool", "analyze", str(shop), "--no-history", "-o", graph],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (DONE, b"")
    assert len(read_graph(graph)[0]) > 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize(
    "arguments", ["analyze SHOP --no-history", "analyze SHOP --no-history -o -", "--help", "plugins"]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output(shop: Path, arguments: str, unbuffered: str) -> None:
    """Audit M6: one sentence and status 2; nothing is said again when Python ends."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cbvtool", *arguments.replace("SHOP", str(shop)).split()],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == FAILED
    assert done.stderr == b"cbvtool: Standard output cannot be written: No space left on device.\n"


@posix
def test_a_result_for_a_closed_standard_output(shop: Path) -> None:
    """It would be lost without a word."""
    command = [sys.executable, "-m", "cbvtool", "analyze", str(shop), "--no-history", "-o", "-"]
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *command],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (FAILED, b"cbvtool: Standard output is closed: name a file with -o.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_standard_error_costs_nothing_else(shop: Path, tmp_path: Path) -> None:
    """What is said there is lost; status and result are as ever."""
    with open("/dev/full", "wb") as full:
        for arguments, status in ((["analyze", str(tmp_path / "none")], FAILED), (["analyze", str(shop)], DONE)):
            done = subprocess.run(
                [sys.executable, "-m", "cbvtool", *arguments, "--no-history"],
                stderr=full,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": SOURCE},
                check=False,
            )
            assert done.returncode == status
            assert bool(done.stdout) == (status == DONE)


@posix
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, INTERRUPTED)]
)
def test_a_signal_leaves_nothing_behind(shop: Path, tmp_path: Path, number: signal.Signals, status: int) -> None:
    """Audit H3: git and temporary folders stayed after SIGTERM, git after Ctrl-C. Here git hangs."""
    told, temporary, programs = tmp_path / "hangs", tmp_path / "temporary", tmp_path / "programs"
    temporary.mkdir()
    programs.mkdir()
    (programs / "git").write_text(
        f'#!/bin/sh\n[ "$1" = version ] && exec {shutil.which("git")} version\necho $$ > {told}; exec sleep 1000\n'
    )
    (programs / "git").chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "cbvtool", "analyze", str(shop)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": SOURCE, "TMPDIR": str(temporary), "PATH": f"{programs}:{os.environ['PATH']}"},
    )
    wait_for(lambda: told.exists() and told.read_text().endswith("\n"))
    time.sleep(0.2)
    process.send_signal(number)
    said = process.communicate(timeout=60)
    assert (process.returncode, said[0]) == (status, b"")
    assert said[1] == (b"cbvtool: Interrupted.\n" if number == signal.SIGINT else b"cbvtool: Terminated.\n")
    assert not list(temporary.iterdir())
    wait_for(lambda: not is_alive(int(told.read_text())))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@posix
def test_an_ignored_signal_stays_ignored(shop: Path) -> None:
    """nohup: the terminal may be closed."""
    script = "import os, signal; from cbvtool.cli.signals import ended_by_signals; signal.signal(1, signal.SIG_IGN)\n"
    script += "with ended_by_signals(): os.kill(os.getpid(), 1)\nprint('on')"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": SOURCE}, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"on\n")


def test_a_module_of_our_name_in_the_folder(shop: Path, tmp_path: Path) -> None:
    """Audit L1: Python itself would run it for `-m`, before anything of ours; with -P, as the manual says, not."""
    (tmp_path / "cbvtool.py").write_text("import pathlib; pathlib.Path('ran').touch()")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "cbvtool", "--version"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert (done.returncode, done.stdout.startswith(b"cbvtool ")) == (DONE, True)
    assert not (tmp_path / "ran").exists()
    assert "python -P -m cbvtool" in (Path(SOURCE).parent / "docs" / "cli.md").read_text()


@pytest.mark.parametrize("arguments", [["--verbose", "analyze"], ["analyze", "--verbose"]])
def test_verbose_shows_where_an_error_comes_from(tmp_path: Path, capsys: Capture, arguments: list[str]) -> None:
    """Design 8: one sentence; --verbose shows more."""
    assert main([*arguments, str(tmp_path / "missing")]) == FAILED
    said = capsys.readouterr().err
    assert "Traceback (most recent call last)" in said
    assert said.endswith(f"cbvtool: {tmp_path / 'missing'} does not exist.\n")


def test_a_fault_of_ours_is_one_sentence_too(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Design 8: no traceback unless it is asked for."""

    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(project, "open_project", fail)
    assert main(["analyze", "."]) == FAILED
    assert capsys.readouterr().err == (
        "cbvtool: Something went wrong inside cbvtool: ZeroDivisionError: two\\nlines; see --verbose.\n"
    )


OF_NO_SOURCES = (
    "open",
    "compare-traces",
    "coupling",
    "diff",
    "evolution",
    "history",
    "people",
    "plan",
    "plugins",
    "runs",
    "trace",
)


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in OF_NO_SOURCES])
def test_every_command_says_how_folders_are_read(
    shop: Path, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """CBV-4: what analyses a folder takes the options of the analysis, for a folder and for a document's subject."""
    more = {
        "render": ["-o", str(tmp_path / "p.png")],
        "report": ["-o", str(tmp_path / "r.html")],
        "query": ["kind:file"],
        "impact": ["core"],
        "path": ["core", "web"],
        "check": ["--contracts", str(tmp_path / "contracts.toml")],
    }.get(command, [])
    (tmp_path / "contracts.toml").write_text(
        '[tool.importlinter]\nroot_package = "core"\n[[tool.importlinter.contracts]]\nname = "a"\ntype = "layers"\n'
    )
    asked = ["--jobs", "3", "--no-cache", "--config", str(tmp_path / "other.toml")]
    found = []

    def note(path: Path, **options: object) -> None:
        found.append((path, options["jobs"], options["cache"], options["config"], options["executor"]))
        raise Cancelled

    monkeypatch.setattr(project, "open_project", note)
    if command == "mcp":  # it may be loaded already, with the name of the function
        monkeypatch.setattr(pytest.importorskip("cbvtool.assistants.snapshot"), "open_project", note)
    subjects = {"analyze": [shop], "tasks": [plan]}.get(command, [shop, plan])
    for subject in subjects:
        assert main([command, str(subject), *more, *asked]) == INTERRUPTED
    assert found == [(shop, 3, False, tmp_path / "other.toml", None)] * len(subjects)


@pytest.mark.parametrize("error", [KeyboardInterrupt, Cancelled])
def test_an_interruption_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, error: type[BaseException]
) -> None:
    """Ctrl-C: status 130, no traceback."""

    def interrupt(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(project, "open_project", interrupt)
    assert main(["analyze", "."]) == INTERRUPTED
    assert capsys.readouterr().err == "cbvtool: Interrupted.\n"


def test_an_error_while_tidying_up_after_ctrl_c_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pool of processes raises RuntimeError when it is closed before it has started."""

    def interrupt(*arguments: object, **options: object) -> None:
        try:
            try:
                raise KeyboardInterrupt
            finally:
                raise RuntimeError("cannot join thread before it is started")
        finally:
            raise ValueError("and another")

    monkeypatch.setattr(project, "open_project", interrupt)
    assert main(["analyze", "."]) == INTERRUPTED
    assert capsys.readouterr().err == "cbvtool: Interrupted.\n"


def large(folder: Path, files: int, functions: int) -> Path:
    folder.mkdir()
    for number in range(files):
        body = "\n".join(f"def f{i}(x):\n    return x + {i}\n" for i in range(functions))
        (folder / f"m{number}.py").write_text(body)
    return folder


@posix
def test_ctrl_c_ends_the_workers_too(tmp_path: Path) -> None:
    """A terminal sends SIGINT to the whole group: one sentence, no traceback of any process, nothing written."""
    subject = large(tmp_path / "large", 400, 600)
    command = [sys.executable, "-m", "cbvtool", "analyze", str(subject), "--jobs", "2", "-o", str(tmp_path / "g.json")]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        deadline = time.monotonic() + 60
        while children.exists() and len(children.read_text().split()) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (INTERRUPTED, b"", b"cbvtool: Interrupted.\n")
    assert not list(tmp_path.glob("*g.json*"))


@posix
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`cbvtool analyze . -o - | head -1`: no traceback when the pipe closes."""
    subject = large(tmp_path / "large", 20, 600)
    with subprocess.Popen(
        [sys.executable, "-m", "cbvtool", "analyze", str(subject), "--jobs", "1", "-o", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": SOURCE},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        start = process.stdout.read(20)
        process.stdout.close()  # long before the end: the graph is larger than any pipe
        assert (start, process.stderr.read()) == (b'{"format":"cbvtool-g', b"")
    assert process.returncode == 141


@posix
@pytest.mark.parametrize("device", ["/dev/stdout", "/dev/null"])
def test_devices_are_written_to_and_stay(shop: Path, device: str) -> None:
    """`-o /dev/stdout` must not replace the device by a file, even for root."""
    done = run("analyze", shop, "-o", device)
    assert done.returncode == DONE
    assert done.stdout.startswith(b'{"format"') == (device == "/dev/stdout")
    assert not Path(device).is_file() or device == "/dev/stdout"


@posix
def test_progress_is_shown_to_people_alone(shop: Path) -> None:
    """Progress to stderr; a pipe gets none (the other tests find stderr empty), a terminal a line."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cbvtool", "analyze", str(shop)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": SOURCE, "COLUMNS": "60"},
    )
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 1024):
            said += piece
    except OSError:  # Linux: the other end is closed
        pass
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == DONE
    assert out.startswith(b"shop (")
    lines = [line for line in said.split(b"\r") if line]
    assert lines[0].rstrip() == b"Looking for files"
    assert lines[-1].strip() == b""
    assert {len(line) for line in lines} == {59}
    assert b"\n" not in said


# -- layers --------------------------------------------------------------------------------------------------------

FORBIDDEN = {
    "analyze": ("PyQt5", "PySide6", "qtpy", "vtkmodules", "vtk", "PIL", "cbvtool.session", "cbvtool.view"),
    "tasks": ("PyQt5", "PySide6", "qtpy", "vtkmodules", "vtk", "PIL", "cbvtool.session", "cbvtool.view"),
    "plugins": ("PyQt5", "PySide6", "qtpy", "vtkmodules", "vtk", "PIL", "cbvtool.session", "cbvtool.view"),
    "unused": ("PyQt5", "PySide6", "qtpy", "vtkmodules", "vtk", "PIL", "cbvtool.session", "cbvtool.view"),
    "render": ("PyQt5", "PySide6", "qtpy"),
}


@pytest.mark.parametrize("command", FORBIDDEN)
def test_no_qt_without_a_window(shop: Path, plan: Path, tmp_path: Path, command: str) -> None:
    """Design 2: analyze and render without a window load no Qt; what draws nothing loads no VTK."""
    arguments = {
        "analyze": ["analyze", str(shop), "-o", str(tmp_path / "g.json")],
        "tasks": ["tasks", str(plan)],
        "plugins": ["plugins"],
        "unused": ["unused", str(shop), "--entry", "*.py"],
        "render": ["render", str(shop), "-o", str(tmp_path / "p.png"), "--size", "64x64"],
    }[command]
    code = (
        "import sys\nfrom cbvtool.cli import main\n"
        f"assert main({arguments!r}) == 0\n"
        f"print([m for m in sys.modules if m.startswith({FORBIDDEN[command]!r})], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_open_alone_loads_the_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Design 2: cli imports app only inside `open`, and hands the path on."""

    called = []
    app = types.ModuleType("cbvtool.app")
    app.main = lambda path, *, trace, compare, follow, verbose, how: (
        called.append((path, follow, verbose, how["jobs"])) or 7
    )  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cbvtool.app", app)
    monkeypatch.setattr(cbvtool, "app", app, raising=False)
    assert [main(["open"]), main(["--verbose", "open", str(tmp_path), "--jobs", "3", "--follow"])] == [7, 7]
    assert called == [(None, False, False, None), (tmp_path, True, True, 3)]


# -- impact and path -----------------------------------------------------------------------------------------------


def test_impact_is_listed_in_each_format(shop: Path, tmp_path: Path, capsys: Capture) -> None:
    """DND-10: what to change and to test again; nodes by id or the end of it, by kind and depth."""
    assert main(["impact", str(shop), "core/order.py"]) == DONE
    said = capsys.readouterr().out
    assert said.startswith("# Impact of a change in shop")
    assert "`core/price.py:1`" in said
    assert "`web/page.py:1`" in said
    assert main(["impact", str(shop), "price.py", "--kind", "import", "--depth", "1", "--format", "csv"]) == DONE
    assert list(csv.DictReader(io.StringIO(capsys.readouterr().out))) == []
    target = tmp_path / "impact.json"
    assert main(["impact", str(shop), "Order", "--format", "json", "-o", str(target)]) == DONE
    data = json.loads(target.read_text())
    assert data["format"] == "cbvtool-impact"
    assert {entry["node"] for entry in data["affected"]} >= {"core/price.py"}
    assert main(["impact", str(shop), "Order", "-o", str(target)]) == DONE, "its own result may be replaced"
    assert "no kind" not in failure(capsys, "impact", shop, "Order", "--kind", "imports")
    assert "There is no node 'nobody'" in failure(capsys, "impact", shop, "nobody")
    (tmp_path / "mine.md").write_text("# Notes\n")
    assert "no impact list" in failure(capsys, "impact", shop, "Order", "-o", tmp_path / "mine.md")


def test_a_path_is_told_or_that_there_is_none(shop: Path, capsys: Capture) -> None:
    """NEW-19: chains with places; that there is none is an answer, too."""
    assert main(["path", str(shop), "core/price.py", "core/order.py"]) == DONE
    said = capsys.readouterr().out
    assert said.startswith("core > price.py reaches core > order.py by 2 shortest chains of 1 relation.")
    assert "core/price.py:1" in said
    assert main(["path", str(shop), "core/order.py", "web"]) == DONE
    assert capsys.readouterr().out == "core > order.py does not reach web.\n"
    assert "Both ends are web" in failure(capsys, "path", shop, "web", "web")


@pytest.mark.parametrize(
    ("statement", "label", "option"),
    [
        ("def late():\n    import used\n    return used.f()\n", "deferred", "--without-deferred"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import used\ndef late(x: 'used.C'):\n    pass\n",
            "type-checking",
            "--without-type-checking",
        ),
    ],
)
def test_imports_that_take_effect_otherwise_are_labelled_and_left_out(
    statement: str, label: str, option: str, tmp_path: Path, capsys: Capture
) -> None:
    """In `path` and `impact`, with all that is used over them alone."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "used.py").write_text("class C:\n    pass\ndef f():\n    return 1\n")
    (project / "user.py").write_text(statement)
    assert main(["path", str(project), "user.py", "used.py"]) == DONE
    assert f"({label} import)" in capsys.readouterr().out
    assert main(["path", str(project), "user.py", "used.py", option]) == DONE
    assert "does not reach" in capsys.readouterr().out
    assert main(["impact", str(project), "used.py"]) == DONE
    said = capsys.readouterr().out
    assert f"`user.py` ({label} import)" in said
    assert f"`late` ({label} " in said
    assert main(["impact", str(project), "used.py", "--format", "csv"]) == DONE
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["when"] for row in rows} == {label}
    assert main(["impact", str(project), "used.py", option]) == DONE
    assert "Nothing uses it." in capsys.readouterr().out
    other = {"--without-deferred", "--without-type-checking"} - {option}
    assert main(["path", str(project), "user.py", "used.py", *other]) == DONE
