"""`cbvtool trace render`: views of plugins as files, without Qt."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from cbvtool.cli import DONE, FAILED, main
from cbvtool.trace.store.folder import write_folder
from cbvtool.trace.store.writing import write_traces
from tests.plugin_views.views import small_profile, small_trace

PLUGIN = """
from tests.plugin_views.views import DiffView, FaultyView, RunsView, SyncView
API = "0.2"

class Other(FaultyView):
    name = "working"

def register(registry):
    for view in (DiffView(), RunsView(), SyncView(), FaultyView("draw"), Other("work")):
        registry.add_view(view)
"""

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path, own_settings: Path) -> Path:
    """A trace on disk; the views of the tests are plugins of the user."""
    plugins = own_settings / "data" / "cbvtool" / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "ours.py").write_text(PLUGIN)
    write_folder(tmp_path / "run", small_trace())
    return tmp_path / "run"


def rendered(*arguments: str | Path) -> None:
    assert main(["trace", "render", *map(str, arguments)]) == DONE


def failure(capsys: Capture, *arguments: str | Path) -> str:
    assert main(["trace", "render", *map(str, arguments)]) == FAILED
    (line,) = capsys.readouterr().err.splitlines()
    return line.removeprefix("cbvtool: ")


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_two_runs_give_the_same_bytes(run: Path, tmp_path: Path, suffix: str) -> None:
    """Two runs give the same bytes, and the picture shows something."""
    files = [tmp_path / f"{number}.{suffix}" for number in range(2)]
    for file in files:
        rendered("twin", run, "-o", file, "--size", "400x300")
    assert files[0].read_bytes() == files[1].read_bytes()
    if suffix == "png":
        with Image.open(files[0]) as picture:
            assert picture.size == (400, 300)
            assert len(np.unique(np.asarray(picture).reshape(-1, 3), axis=0)) > 20
    else:
        assert "<title>Synchronous threads</title>" in files[0].read_text()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fonts differ")
def test_it_needs_no_qt(run: Path, tmp_path: Path) -> None:
    """ST-3, VF-1: a process that draws views of one trace and of two has loaded no Qt at its end."""
    drawn = [
        ["trace", "render", view, str(run), "-o", f"{view}.png"] for view in ("busy", "sync", "fusion", "extravis")
    ]
    drawn.append(["trace", "render", "diff", str(run), str(run), "-o", "diff.png"])
    program = (
        "import sys\n"
        "from cbvtool.cli import main\n"
        f"done = [main([*words, '--size', '300x200']) for words in {drawn!r}]\n"
        "print(done, [name for name in sys.modules if name.startswith(('qtpy', 'PyQt'))])\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == (f"{[DONE] * 5} []\n", "")
    assert len({path.read_bytes() for path in tmp_path.glob("*.png")}) == 5


def test_a_window_and_threads_are_looked_at(run: Path, tmp_path: Path) -> None:
    """Without a unit a time is in seconds from the begin; `0.04..60ms` is from 40 to 60 ms."""
    rendered("busy", run, "-o", tmp_path / "a.svg", "--window", "0.04..60ms", "--threads", "MainThread")
    text = (tmp_path / "a.svg").read_text()
    assert [name for name in ("main", "load", "work") if f">{name}<" in text] == ["main", "load", "work"]
    rendered("busy", run, "-o", tmp_path / "b.svg", "--window", "0.00..0.001", "--threads", "1")
    text = (tmp_path / "b.svg").read_text()
    assert [name for name in ("main", "load", "work") if f">{name}<" in text] == ["main"]
    rendered("busy", run, "-o", tmp_path / "c.svg", "--threads", "Worker")
    assert ">main<" not in (tmp_path / "c.svg").read_text()


def test_parameters_are_set(run: Path, tmp_path: Path) -> None:
    rendered("busy", run, "-o", tmp_path / "a.svg", "--set", "rows=1")
    assert ">work<" not in (tmp_path / "a.svg").read_text()


def test_two_traces_and_slow_work(run: Path, tmp_path: Path) -> None:
    """All needs are made before it is drawn."""
    rendered("pairs", run, run, "-o", tmp_path / "a.png", "--size", "300x200")
    with Image.open(tmp_path / "a.png") as picture:
        middle = np.asarray(picture)[100]
    assert len(np.unique(middle, axis=0)) > 2


def test_tables_are_text_and_the_whole_layout_one_picture(run: Path, tmp_path: Path, capsys: Capture) -> None:
    files = []
    for number in range(3):
        write_traces(tmp_path / f"{number}", [small_profile(number)], "parquet")
        files.append(tmp_path / f"{number}")
    rendered("runs", *files, "-o", "-", "--part", "runs")
    assert capsys.readouterr().out.splitlines()[0] == "Run\tOwn (ns)"
    rendered("runs", *files, "-o", tmp_path / "table.csv", "--part", "runs")
    assert (tmp_path / "table.csv").read_text().splitlines()[0] == "Run,Own (ns)"
    rendered("runs", *files, "-o", tmp_path / "table.txt", "--part", "runs")
    assert len((tmp_path / "table.txt").read_text().splitlines()) == 4
    rendered("runs", *files, "-o", tmp_path / "all.svg")
    assert ">Own (ns)<" not in (tmp_path / "all.svg").read_text()
    assert ">Own<" in (tmp_path / "all.svg").read_text()
    assert failure(capsys, "runs", *files, "-o", tmp_path / "a.png", "--part", "runs").startswith("runs is a table")
    assert failure(capsys, "runs", *files, "-o", tmp_path / "a.txt", "--part", "bars").startswith("bars is a picture")


def test_the_graph_that_ran_can_be_given(run: Path, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "app.py").write_text("def main():\n    pass\n")
    rendered("busy", run, "-o", tmp_path / "a.png", "--graph", tmp_path / "code", "--size", "200x100")
    assert (tmp_path / "a.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["busyy", "RUN"],
            "There is no view 'busyy': the plugins have busy, callflow, diff, extravis, faulty, fusion, "
            "hierarchies, ocelotl, pairs, runs, sync, tracevis, twin, working.",
        ),
        (["twin", "RUN", "--set", "x=1"], "There is no parameter 'x': the view has bent, theta."),
        (["busy", "RUN", "--set", "rows=0"], "rows is a whole number from 1 to 100."),
        (["busy", "RUN", "RUN"], "it takes 1 trace, not 2 traces."),
        (["busy", "RUN", "--part", "head"], "The view busy has no part 'head': it has main."),
        (["busy", "RUN", "--threads", "Nobody"], "No thread of the trace is called Nobody."),
        (["faulty", "RUN"], "The view Faulty failed: KeyError: 'no draw'."),
        (["working", "RUN"], "The view working raised KeyError: 'no work' while it made 'work'."),
        (["busy", "NOTHING"], "cannot be read: No such file or directory."),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(
    run: Path, tmp_path: Path, capsys: Capture, arguments: list[str], sentence: str
) -> None:
    named = [each.replace("RUN", str(run)).replace("NOTHING", str(tmp_path / "gone")) for each in arguments]
    assert failure(capsys, *named, "-o", tmp_path / "a.png").endswith(sentence)
    assert not (tmp_path / "a.png").exists()


def test_a_file_of_another_sort_is_refused(run: Path, tmp_path: Path, capsys: Capture) -> None:
    assert "ends in neither .png nor .svg nor .html" in failure(capsys, "busy", run, "-o", tmp_path / "a.gif")


class _Page(HTMLParser):
    """What a page loads, its tables and the pictures in it."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.cells: list[str] = []
        self.heads: list[str] = []
        self.tags: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.inside = tag
        self.loaded += [value or "" for name, value in attrs if name in {"src", "href", "srcset", "data", "action"}]

    def handle_data(self, data: str) -> None:
        {"td": self.cells, "th": self.cells, "h2": self.heads}.get(self.inside, []).append(data.strip())


def test_a_page_holds_every_picture_and_table_and_loads_nothing(run: Path, tmp_path: Path) -> None:
    """NEW-8: one file; parts behind tabs are in it too; two runs give the same bytes."""
    pages = [tmp_path / f"{number}.html" for number in range(2)]
    for page in pages:
        rendered("ocelotl", run, "-o", page, "--size", "900x700", "--set", "slices=20")
    assert pages[0].read_bytes() == pages[1].read_bytes()
    text = pages[0].read_text("utf-8")
    read = _Page()
    read.feed(text)
    assert read.heads[0] == "Ocelotl: resources along time"
    assert {"Findings", "Statistics", "Resources"} <= set(read.heads)
    assert read.tags.count("img") >= 2
    assert all(each.startswith("data:image/svg+xml;base64,") for each in read.loaded)
    pictures = [base64.b64decode(each.partition(",")[2]).decode() for each in read.loaded]
    for picture in pictures:
        assert not re.search(r'(href|src)="(?!#|data:)', picture)
        ElementTree.fromstring(picture)
    assert "Slices: 20" in text
    assert "<script" not in text
    assert "default-src 'none'" in unescape(text)
    assert "MainThread" in " ".join(read.cells)
    rendered("ocelotl", run, "-o", tmp_path / "one.html", "--part", "resources")
    alone = _Page()
    alone.feed((tmp_path / "one.html").read_text("utf-8"))
    assert alone.heads == ["Resources"]
    assert "img" not in alone.tags


def test_a_page_of_many_runs_tells_what_is_selected_and_grey(run: Path, tmp_path: Path) -> None:
    """NEW-8, CF-8: markup in names of files is text; rows within noise have their class."""
    files = []
    for number in range(5):
        files.append(tmp_path / f"<b>{number}")
        write_traces(files[-1], [small_profile(number)], "parquet")
    rendered("callflow", *files, "-o", tmp_path / "runs.html", "--set", "mode=difference", "--size", "900x700")
    text = (tmp_path / "runs.html").read_text("utf-8")
    assert "<b>" not in text
    assert "&lt;b&gt;3" in text
    assert "Mode: B minus A" in text
    assert 'class="chosen"' in text
    page = _Page()
    page.feed(text)
    assert {"Runs", "Call paths", "Why", "Beyond noise", "Order", "Alike runs"} <= set(page.heads)


def test_a_table_as_json(run: Path, tmp_path: Path) -> None:
    """NEW-8: times in ns, what is missing is null; the same rows as CSV has."""
    rendered("ocelotl", run, "-o", tmp_path / "a.json", "--part", "resources")
    rendered("ocelotl", run, "-o", tmp_path / "a.csv", "--part", "resources")
    told = json.loads((tmp_path / "a.json").read_text())
    assert told["format"] == "cbvtool-view-table"
    assert [each["name"] for each in told["columns"]] == ["Resource", "Kind", "Leaves", "Mostly", "Share"]
    assert len(told["rows"]) == len((tmp_path / "a.csv").read_text().splitlines()) - 1 > 1
    assert told["rows"][0][2] == 2  # threads


def test_a_page_replaces_no_other_file(run: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.html").write_text("my notes")
    assert "my notes" in (tmp_path / "a.html").read_text()
    assert "a.html" in failure(capsys, "busy", run, "-o", tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text() == "my notes"
