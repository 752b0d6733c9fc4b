"""Plugins (design 6): found, loaded, checked; a broken one is reported and harms no other."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool import api, extensions
from cbvtool.api import API_VERSION, Changes, Graph, Metric, Subject
from cbvtool.errors import Cancelled, InputError
from cbvtool.extensions import Problem, discover
from cbvtool.graph import GraphBuilder
from cbvtool.metrics import METRICS, evaluate
from cbvtool.trace.readers.registry import read_traces, use_readers

ROOT = Path(__file__).parents[1]
DAY = 24 * 60 * 60

GOOD = f'''
from cbvtool.api import Metric
import numpy as np

API = "{API_VERSION}"
__version__ = "2.5"

def register(registry):
    registry.add_metric(Metric("NAME", "Name", "things", "neither", "sum", lambda s: np.ones(len(s.graph))))
'''


VIEWS = f'''
from cbvtool.api import (
    Input, NumberParameter, OverlayContent, PluginCommand, PluginOverlay, Plot, Say, SimpleView, TraceBuilder,
)
import numpy as np

API = "{API_VERSION}"
__version__ = "2.5"

class View(SimpleView):
    name = 'NAME-view'
    label = "A view"
    State = int
    takes = (Input("trace"),)
    parameters = (NumberParameter("rows", "Rows", 0, 9, 3),)

class Reader:
    NAME = "NAME-reader"
    LABEL = "Readings"

    def sniff(self, source):
        return source.head.startswith(b"SNIFFED")

    def read(self, source, budget, progress):
        builder = TraceBuilder(self.NAME, budget)
        builder.span(builder.thread(1, 1), builder.function("main"), 0, 10)
        return [builder.trace(builder.build())]

def register(registry):
    registry.add_view(View())
    registry.add_reader(Reader())
    registry.add_overlay(PluginOverlay("NAME-overlay", "An overlay", lambda context: OverlayContent()))
    registry.add_command(PluginCommand("NAME-command", "A command", lambda context: (Say("done"),)))
'''


def plugin(folder: Path, name: str, text: str = GOOD) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(re.sub(r"(?<![.\w])NAME(?! =)", name, text))  # not the attribute NAME of a reader
    return path


def graph() -> Graph:
    """old.py (30 lines), new.py (10 lines, a class of 20) and doc.md in one folder; never.py beside it."""
    builder = GraphBuilder("shop")
    builder.add_node("src", "", "src", "folder")
    for name, lines in {"old.py": 30, "new.py": 10, "doc.md": None}.items():
        values = {} if lines is None else {"sloc": lines}
        builder.add_node(f"src/{name}", "src", name, "file", file=f"src/{name}", values=values)
    builder.add_node("src/new.py::C", "src/new.py", "C", "class", file="src/new.py", values={"sloc": 20})
    builder.add_node("never.py", "", "never.py", "file", file="never.py", values={"sloc": 500})
    return builder.freeze()


def changes(**touched: int) -> Changes:
    """One commit for each file, so many days after the epoch; file names without their ends."""
    paths = {"old": "src/old.py", "new": "src/new.py", "doc": "src/doc.md", "gone": "gone.py"}
    order = sorted(touched, key=lambda name: touched[name])
    rows = np.arange(len(order), dtype=np.int32)
    return Changes(
        tuple(f"{row:040x}" for row in rows),
        np.array([touched[name] * DAY for name in order], np.int64),
        np.zeros(len(order), np.int32),
        ("ann",),
        rows,
        rows.copy(),
        tuple(paths[name] for name in order),
    )


# -- finding and loading ------------------------------------------------------------------------------------------


def test_plugins_of_a_folder_are_found(tmp_path: Path) -> None:
    """A file or a folder is one plugin; private, hidden and other files are none."""
    plugin(tmp_path, "one")
    plugin(tmp_path / "two", "__init__", GOOD.replace("NAME", "two") + "from . import part\n")
    plugin(tmp_path / "two", "part", "")
    for name in ("_private", ".hidden", "not-a-name"):
        plugin(tmp_path, name)
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    registry, problems = discover([tmp_path, tmp_path / "missing"], [])
    assert problems == []
    assert [(p.name, p.version, p.contributes) for p in registry.plugins] == [
        ("one", "2.5", ("metric one",)),
        ("two", "2.5", ("metric two",)),
    ]
    assert [p.origin for p in registry.plugins] == [str(tmp_path / "one.py"), str(tmp_path / "two")]
    assert list(registry.metrics) == [*METRICS, "one", "two"]


def test_of_two_plugins_of_one_name_the_first_counts(tmp_path: Path) -> None:
    """A user's own copy comes before the one of a checkout, that before an installed one; none is run twice."""
    plugin(tmp_path / "own", "age", GOOD.replace("2.5", "mine"))
    plugin(tmp_path / "checkout", "age")
    installed = EntryPoint("age", "no.such.module", extensions.GROUP)
    registry, problems = discover([tmp_path / "own", tmp_path / "checkout"], [installed])
    assert problems == []
    assert [p.version for p in registry.plugins] == ["mine"]


def test_installed_plugins_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points of the group cbvtool.plugins."""
    plugin(tmp_path, "someones_plugin")
    info = tmp_path / "someones-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: someones\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cbvtool.plugins]\nsome = someones_plugin\nlost = someones_plugin:gone\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry, problems = discover([])
    found = {p.name: (p.origin, p.contributes) for p in registry.plugins}
    assert found["some"] == ("someones 1.0", ("metric someones_plugin",))
    assert [p.reason for p in problems if p.plugin == "lost"] == [
        "importing it raised AttributeError: module 'someones_plugin' has no attribute 'gone'"
    ]


def test_where_plugins_are_looked_for(own_settings: Path) -> None:
    """Design 6: the user's own folder and the installation, never the repository under analysis."""
    folders = extensions.plugin_folders()
    assert folders[-1] == ROOT / "plugins"
    if sys.platform.startswith("linux"):
        assert folders[0] == own_settings / "data" / "cbvtool" / "plugins"
    assert len(folders) == 2


# -- broken ones --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def register(:\n", "syntax error in line 1: invalid syntax"),
        ("x = 'a\0b'", "syntax error"),
        ("1/0", "importing it raised ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "importing it raised SystemExit: 3"),
        ("import no_such_module", "importing it raised ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise RuntimeError('two\\nlines')", "importing it raised RuntimeError: two lines"),
        (GOOD.replace("API =", "api ="), "it does not say for which version of the plugin interface it is (API = "),
        (GOOD.replace(f'"{API_VERSION}"', '"9.9"'), "it is written for version 9.9 of the plugin interface, this"),
        (GOOD.replace("def register", "def enlist"), "it has no function register(registry)"),
        (GOOD + "register = 3", "it has no function register(registry)"),
        (GOOD.replace("(registry)", "()"), "its register raised TypeError: register() takes 0"),
        (GOOD + "    raise SystemExit\n", "its register raised SystemExit"),
        (GOOD.replace("NAME", "sloc"), "its register raised ValueError: the metric name 'sloc' is taken"),
        (GOOD.replace("NAME", "one"), "its register raised ValueError: the metric name 'one' is taken"),
        (GOOD + "    registry.add_metric(len)\n", "its register raised TypeError: add_metric takes a Metric, not "),
        (
            GOOD + "    registry.add_view(len)\n",
            "its register raised TypeError: add_view takes a view: builtin_function",
        ),
        (GOOD + "    registry.add_reader(len)\n", "its register raised TypeError: add_reader takes a reader: builtin_"),
        (
            GOOD + "    registry.add_overlay(len)\n",
            "its register raised TypeError: add_overlay takes a PluginOverlay, not",
        ),
        (
            GOOD + "    registry.add_command(len)\n",
            "its register raised TypeError: add_command takes a PluginCommand, not",
        ),
        (
            VIEWS.replace("'NAME-view'", "'one-view'"),
            "its register raised ValueError: the view name 'one-view' is taken",
        ),
        (
            VIEWS.replace("NAME-overlay", "one-overlay"),
            "its register raised ValueError: the overlay name 'one-overlay' is",
        ),
        (
            VIEWS.replace("NAME-command", "one-command"),
            "its register raised ValueError: the command name 'one-command' is",
        ),
        (VIEWS.replace("NAME-reader", "chrome"), "its register raised ValueError: the reader name 'chrome' is taken"),
        (
            VIEWS.replace("'NAME-view'", "'A view'"),
            "its register raised ValueError: 'A view' is no name: small letters",
        ),
        (
            VIEWS.replace('Input("trace")', 'Input("film")'),
            "its register raised ValueError: inputs are trace, profile, gr",
        ),
        (
            VIEWS.replace("0, 9, 3", "9, 0, 3"),
            "its register raised ValueError: the parameter 'rows' needs low < high, an",
        ),
        (
            VIEWS.replace("name = 'NAME", "nam = 'NAME"),
            "its register raised TypeError: add_view takes a view: View has no",
        ),
    ],
)
def test_a_broken_plugin_is_reported_and_harms_no_other(tmp_path: Path, text: str, reason: str) -> None:
    """One sentence for the broken one; those before and after it work, and it leaves nothing behind."""
    plugin(tmp_path, "also", VIEWS.replace("NAME-", "one-"))
    plugin(tmp_path, "one")
    path = plugin(tmp_path, "two", text)
    plugin(tmp_path, "zoo")
    registry, problems = discover([tmp_path], [])
    assert [p.name for p in registry.plugins] == ["also", "one", "zoo"]
    assert [*registry.views, *registry.overlays, *registry.commands] == ["one-view", "one-overlay", "one-command"]
    assert list(registry.metrics) == [*METRICS, "one", "zoo"]
    assert len(problems) == 1
    problem = problems[0]
    assert (problem.plugin, problem.origin) == ("two", str(path))
    assert problem.reason.startswith(reason)
    assert "\n" not in str(problem)


def test_a_plugin_contributes_views_readers_overlays_and_commands(tmp_path: Path) -> None:
    """Interface 0.2: all of it is listed, and owned by its plugin."""
    path = plugin(tmp_path, "one", VIEWS)
    registry, problems = discover([tmp_path], [])
    assert problems == []
    assert registry.plugins[0].contributes == (
        "view one-view",
        "reader one-reader",
        "overlay one-overlay",
        "command one-command",
    )
    registry.report("view", "one-view", "raised KeyError: 3")
    registry.report("view", "one-view", "raised KeyError: 3")
    assert problems == [Problem("one", str(path), "its view one-view raised KeyError: 3")]


def test_plugins_of_the_first_interface_still_load(tmp_path: Path) -> None:
    """0.1 had metrics alone; plugins/age.py says 0.1 and is found by all other tests here."""
    plugin(tmp_path, "old", GOOD.replace(f'API = "{API_VERSION}"', 'API = "0.1"'))
    registry, problems = discover([tmp_path], [])
    assert problems == []
    assert registry.plugins[0].contributes == ("metric old",)
    assert 'API = "0.1"' in (ROOT / "plugins" / "age.py").read_text()


@pytest.fixture
def no_readers() -> Iterator[None]:
    yield
    use_readers(())


def test_readers_of_plugins_join_the_others(tmp_path: Path, no_readers: None) -> None:
    """They are asked after the built-in ones."""
    plugin(tmp_path, "one", VIEWS.replace("SNIFFED", "ONE!"))
    registry, _ = discover([tmp_path], [])
    (tmp_path / "run").write_bytes(b"ONE! and more")
    with pytest.raises(InputError, match="in no format"):
        read_traces(tmp_path / "run")
    use_readers(registry.readers.values())
    (trace,) = read_traces(tmp_path / "run")
    assert trace.functions.name == ("main",)
    assert trace.header.format == "one-reader"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("builder = TraceBuilder(self.NAME, budget)", "1 / 0", "the reader one-reader of the plugin one failed"),
        ("return [builder.trace(builder.build())]", "return [3]", "the reader one-reader of the plugin one failed"),
        ('return source.head.startswith(b"SNIFFED")', "return 1 / 0", "in no format of traces"),
    ],
)
def test_a_reader_that_fails_is_reported(
    tmp_path: Path, no_readers: None, before: str, after: str, sentence: str
) -> None:
    """Whoever opens a file is told in a sentence; the plugin is listed with its fault."""
    plugin(tmp_path, "one", VIEWS.replace(before, after).replace("SNIFFED", "ONE!"))
    registry, problems = discover([tmp_path], [])
    assert problems == []
    use_readers(registry.readers.values())
    (tmp_path / "run").write_bytes(b"ONE! and more")
    with pytest.raises(InputError, match=sentence):
        read_traces(tmp_path / "run")
    assert len(problems) == 1
    assert problems[0].reason.startswith("its reader one-reader raised ")


@pytest.mark.parametrize(
    ("compute", "reason"),
    [
        ("lambda s: 1 / 0", "its metric two raised ZeroDivisionError: division by zero"),
        ("lambda s: np.ones(2)", "its metric two raised ValueError: its result has the shape (2,), not (7,)"),
        ("lambda s: 'much'", "its metric two raised ValueError: could not convert string to float: 'much'"),
    ],
)
def test_a_metric_that_fails_is_reported_once_and_not_measured(tmp_path: Path, compute: str, reason: str) -> None:
    """A fault that shows only while a metric is computed breaks no view."""
    plugin(tmp_path, "one")
    path = plugin(tmp_path, "two", GOOD.replace("lambda s: np.ones(len(s.graph))", compute))
    registry, problems = discover([tmp_path], [])
    assert problems == []
    for _ in range(2):
        column = evaluate("two", Subject(graph()), registry.metrics)
        assert np.isnan(column).all()
        assert column.shape == (7,)
    assert problems == [Problem("two", str(path), reason)]
    assert evaluate("one", Subject(graph()), registry.metrics).tolist() == [1] * 7


def test_a_metric_that_is_stopped_has_not_failed(tmp_path: Path) -> None:
    """A slow one tells its progress, which ends it when nobody waits any longer; it can be measured again."""
    compute = "lambda s: s.progress('', 1, 2) or np.ones(len(s.graph))"
    plugin(tmp_path, "two", GOOD.replace("lambda s: np.ones(len(s.graph))", compute))
    registry, problems = discover([tmp_path], [])

    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        evaluate("two", Subject(graph(), progress=stop), registry.metrics)
    assert problems == []
    assert evaluate("two", Subject(graph()), registry.metrics).tolist() == [1] * 7


def test_every_problem_is_a_new_registry_s_own(tmp_path: Path) -> None:
    """Nothing is remembered from one search to the next, and the built-in metrics are not touched."""
    before = dict(METRICS)
    plugin(tmp_path, "two", "1/0")
    assert len(discover([tmp_path], [])[1]) == 1
    assert discover([], [])[1] == []
    assert dict(METRICS) == before


# -- the bundled one ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def age() -> Metric:
    registry, problems = discover([ROOT / "plugins"], [])
    assert problems == []
    return registry.metrics["age"]


def ages(metric: Metric, subject: Subject) -> dict[str, float]:
    column = metric.compute(subject)
    return {subject.graph.ids[key]: float(column[key]) for key in range(len(column)) if not np.isnan(column[key])}


def test_age_is_the_days_since_the_last_change(age: Metric) -> None:
    """Age as of the end of the history (not of today), upward a mean weighted by source lines."""
    subject = Subject(graph(), changes(old=100, doc=250, new=296, gone=300))
    assert ages(age, subject) == {"src/old.py": 200, "src/new.py": 4, "src/doc.md": 50, "src": 102, "": 102}
    assert age.show(102.0) == "102 days"


def test_age_is_told_as_of_the_end_of_the_time_range(age: Metric) -> None:
    """CBV-9: every history metric follows the time range; what was changed only later has no age yet."""
    subject = Subject(graph(), changes(old=100, new=296), since=150 * DAY, until=200 * DAY)
    assert ages(age, subject) == {"src/old.py": 100, "src": 100, "": 100}


def test_age_follows_a_move(age: Metric) -> None:
    """Design 3: a moved file keeps its history and takes it along to where it goes."""
    base = graph()
    parent = base.parent.copy()
    parent[base.key_of["src/old.py"]] = base.root
    found = ages(age, Subject(base.with_(parent=parent), changes(old=100, new=296, gone=300)))
    assert found == {"src/old.py": 200, "src/new.py": 4, "src": 4, "": 102}


def test_age_without_history_comes_from_what_was_recorded(age: Metric) -> None:
    """A graph file that carries recorded columns only still has ages; one without anything has none."""
    base = graph()
    assert ages(age, Subject(base)) == {}
    dates = np.full(len(base), np.nan)
    dates[[base.key_of["src/old.py"], base.key_of["src/new.py"]]] = [100 * DAY, 296 * DAY]
    recorded = base.with_(values={**base.values, "last_change": dates})
    assert ages(age, Subject(recorded)) == {"src/old.py": 196, "src/new.py": 0, "src": 98, "": 98}


@given(st.fixed_dictionaries({}, optional={name: st.integers(0, 400) for name in ("old", "new", "doc", "gone")}))
def test_age_of_a_folder_lies_between_those_of_its_files(touched: dict[str, int]) -> None:
    """A mean is a mean: within the range of its parts, and never negative."""
    metric = discover([ROOT / "plugins"], [])[0].metrics["age"]
    found = ages(metric, Subject(graph(), changes(**touched)))
    files = [value for node, value in found.items() if "." in node and node != "src/doc.md"]
    for node in ("src", ""):
        assert (node in found) == bool(files)
        if files:
            assert min(files) <= found[node] <= max(files)
    assert min(found.values(), default=0) >= 0


def test_the_example_in_the_documentation_works(tmp_path: Path) -> None:
    """docs/plugins.md shows a plugin that can be copied."""
    shown = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "plugins.md").read_text(), re.DOTALL)
    assert shown is not None
    plugin(tmp_path, "depth", shown[1])
    registry, problems = discover([tmp_path], [])
    assert problems == []
    assert evaluate("depth", Subject(graph()), registry.metrics).tolist() == [0, 1, 2, 2, 2, 3, 1]
    assert problems == []


def test_the_documentation_names_the_whole_interface() -> None:
    """docs/plugins.md: what a plugin may import."""
    text = (ROOT / "docs" / "plugins.md").read_text()
    assert [name for name in api.__all__ if f"`{name}" not in text] == []


def test_the_plugin_imports_the_interface_alone() -> None:
    """Design 6: plugins import cbvtool.api alone (import-linter checks all of them; this shows what it is about)."""
    text = (ROOT / "plugins" / "age.py").read_text()
    assert [line for line in text.splitlines() if "import" in line and "cbvtool" in line] == [
        "from cbvtool.api import Column, Metric, Registry, Subject, evaluate"
    ]


def test_a_metric_of_a_plugin_survives_being_replaced(age: Metric) -> None:
    """Metrics are values: a copy with another name computes the same."""
    subject = Subject(graph(), changes(old=100, new=296))
    assert ages(replace(age, name="other"), subject) == ages(age, subject)


@pytest.mark.long
def test_the_wheel_carries_the_bundled_plugins(tmp_path: Path) -> None:
    """Design 2: in a package of their own, found through entry points without the checkout."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    installed = tmp_path / "site"
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(installed)
    code = (
        "from cbvtool.extensions import discover, plugin_folders\n"
        "registry, problems = discover()\n"
        "print(len(plugin_folders()), problems, [(p.name, p.origin, p.contributes) for p in registry.plugins])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
        env={**os.environ, "PYTHONPATH": str(installed)},
    )
    assert done.stdout == (
        "1 [] [('age', 'cbvtool 0.1.0', ('metric age',)), ('busy', 'cbvtool 0.1.0', ('view busy',)), "
        "('callflow', 'cbvtool 0.1.0', ('view callflow',)), "
        "('extravis', 'cbvtool 0.1.0', ('view extravis',)), ('ocelotl', 'cbvtool 0.1.0', ('view ocelotl',)), "
        "('synctrace', 'cbvtool 0.1.0', ('view sync',)), "
        "('tracediff', 'cbvtool 0.1.0', ('view diff', 'view hierarchies', 'overlay call_changes')), "
        "('tracevis', 'cbvtool 0.1.0', ('view tracevis',)), "
        "('viewfusion', 'cbvtool 0.1.0', ('view fusion',))]\n"
    )
    assert not (installed / "plugins").exists()
