"""`cbvtool trace render`: views of plugins as files, without Qt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
    assert "ends in neither .png nor .svg" in failure(capsys, "busy", run, "-o", tmp_path / "a.gif")
