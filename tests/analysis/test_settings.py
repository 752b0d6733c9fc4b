"""`cbvtool.toml`, section `[analysis]`: what it does, what is refused, what is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cbvtool.analysis import analyze, dividing
from cbvtool.analysis.patterns import Patterns
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.settings import GENERATED, TESTS, VENDORED, AnalysisSettings, parse_settings, read_settings
from cbvtool.config import toml_of
from cbvtool.errors import InputError
from cbvtool.formats import read_graph, write_graph
from cbvtool.graph import Configuration, Graph

GOOD = """
[analysis]
exclude = ["docs/", "*.tmp.py"]
include_paths = ["./include/", "src//lib", "."]
source_roots = ["src"]
entry_points = ["bin/*.py", "main.py"]
generated = ["*_gen.py"]
vendored = []
tests = ["checks/"]

[analysis.configurations]
server = ["server.py"]
tool = ["tool.py", "plugins/"]
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def names(graph: Graph) -> set[str]:
    return {graph.ids[key] for key in range(len(graph)) if graph.kind(key) == "file"}


def marked(graph: Graph, name: str = "test") -> set[str]:
    column = graph.values.get(name)
    return set() if column is None else {graph.ids[key] for key in range(len(column)) if column[key] == 1}


def test_a_good_file_is_read() -> None:
    """Every key; paths are normalised as resolvers want them."""
    assert parse_settings(GOOD) == AnalysisSettings(
        exclude=("docs/", "*.tmp.py"),
        include_paths=("include", "src/lib", ""),
        source_roots=("src",),
        entry_points=("bin/*.py", "main.py"),
        generated=("*_gen.py",),
        vendored=(),
        tests=("checks/",),
        configurations={"server": ("server.py",), "tool": ("tool.py", "plugins/")},
    )


def test_nothing_has_to_be_said(tmp_path: Path) -> None:
    """NEW-11: zero configuration; what is not said keeps its default."""
    assert read_settings(tmp_path) == AnalysisSettings()
    assert parse_settings("[rules]\ncycles = 3\n") == AnalysisSettings()
    assert parse_settings('[analysis]\nexclude = ["x"]\n') == AnalysisSettings(exclude=("x",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[analysis\n", "is not valid TOML"),
        ("x = 1\n[analysis]\nexclude = = 3\n", "line 3"),
        ("[analysis.configurations]\na = []", "analysis.configurations.a must name between 1 and"),
        ("[analysis]\nconfigurations = 3", "analysis.configurations must be a table"),
        ("analysis = 3", "analysis must be a section, [analysis]"),
        ('[analysis]\nexclude = "docs"', "analysis.exclude must be a list, not docs"),
        ("[analysis]\ntests = [1]", "analysis.tests[0] must be a pattern such as in a .gitignore, not 1"),
        ('[analysis]\nexclude = ["a", " "]', "analysis.exclude[1] must be a pattern"),
        ('[analysis]\nexclude = ["../x"]', "analysis.exclude[0] must lie inside the repository"),
        ('[analysis]\nexclude = ["a[z-a]"]', "analysis.exclude[0] is not a pattern"),
        (f"[analysis]\nexclude = ['{'a' * 5000}']", "analysis.exclude[0] is not a pattern"),
        ('[analysis]\nexclude = ["!"]', "analysis.exclude[0] is not a pattern"),
        ('[analysis]\ninclude_paths = ["/usr/include"]', "analysis.include_paths[0] must lie inside the repository"),
        ('[analysis]\ninclude_paths = ["a/../.."]', "analysis.include_paths[0] must lie inside the repository"),
        ('[analysis]\nsource_roots = ["C:\\\\x"]', "analysis.source_roots[0] must lie inside the repository"),
        ('[analysis]\nsource_roots = [""]', "analysis.source_roots[0] must be the path of a folder"),
        (f"[analysis]\nexclude = {['x'] * 1001}", "analysis.exclude has 1,001 entries"),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, text: str, said: str) -> None:
    """Errors are one sentence with the line or the key; the user's own file is not ignored."""
    (tmp_path / "my.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_settings(tmp_path, tmp_path / "my.toml")
    assert said in str(caught.value)
    assert str(tmp_path / "my.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_of_the_repository_keeps_nobody_out(tmp_path: Path) -> None:
    """Design 8: it is other people's file: it is not honoured, and a note says why."""
    graph = analyze(write(tmp_path, {"a.py": "", "cbvtool.toml": "[analysis]\nexclude = 3\n"}))
    assert "a.py" in graph.ids
    (note,) = [note for note in graph.report.notes if "cbvtool.toml" in note]
    assert note == ("cbvtool.toml: analysis.exclude must be a list, not 3. What it says about the analysis is ignored.")


def test_unknown_keys_are_told(tmp_path: Path) -> None:
    """Design 8: what is not known is told, not done."""
    graph = analyze(write(tmp_path, {"a.py": "", "cbvtool.toml": '[analysis]\nrun = "rm -rf ~"\n'}))
    assert "cbvtool.toml: analysis.run is not known here and is ignored." in graph.report.notes


def test_a_missing_file_of_the_user_is_an_error(tmp_path: Path) -> None:
    """`--config FILE`."""
    with pytest.raises(InputError, match=r"nowhere\.toml cannot be read"):
        analyze(write(tmp_path, {"a.py": ""}), config=tmp_path / "nowhere.toml")


def test_the_file_of_the_user_takes_the_place_of_the_repositorys(tmp_path: Path) -> None:
    """Passed, it alone counts."""
    root = write(tmp_path / "root", {"a.py": "", "b.py": "", "cbvtool.toml": '[analysis]\nexclude = ["a.py"]\n'})
    assert names(analyze(root)) == {"b.py", "cbvtool.toml"}
    mine = write(tmp_path, {"mine.toml": '[analysis]\nexclude = ["b.py", "*.toml"]\n'}) / "mine.toml"
    assert names(analyze(root, config=mine)) == {"a.py"}


def test_excluded_vendored_generated_and_tests(tmp_path: Path) -> None:
    """Left out and counted; the others read and marked."""
    root = write(
        tmp_path,
        {
            "cbvtool.toml": '[analysis]\nexclude = ["docs/", "!docs/kept.py", "draft*.py"]\n',
            "docs/conf.py": "",
            "draft1.py": "",
            "app.py": "import vendor.lib\nimport message_pb2\n",
            "message_pb2.py": "class C: pass\n",
            "vendor/lib.py": "",
            "x/third_party/a/b.py": "",
            "x/own_test.py": "",
            "tests/test_app.py": "import app\n",
            "x/vendor.py": "",
            "tests/data.json": "",
        },
    )
    graph = analyze(root)
    assert names(graph) == {
        "cbvtool.toml",
        "app.py",
        "message_pb2.py",
        "vendor/lib.py",
        "x/third_party/a/b.py",
        "x/own_test.py",
        "tests/test_app.py",
        "x/vendor.py",
        "tests/data.json",
    }
    assert marked(graph) == {"tests/test_app.py", "x/own_test.py"}
    assert marked(graph, "generated") == {"message_pb2.py"}
    assert marked(graph, "vendored") == {"vendor/lib.py", "x/third_party/a/b.py"}
    assert graph.key_of["message_pb2.py::C"]
    edges = {(graph.ids[a], graph.ids[b]) for a, b in zip(graph.edges.source, graph.edges.target, strict=True)}
    assert {("app.py", "message_pb2.py"), ("app.py", "vendor/lib.py")} <= edges
    assert "because the configuration excludes them: 2 files and folders." in " ".join(graph.report.notes)


@pytest.mark.parametrize(
    "file", ["vendor/modules.txt", "vendor/autoload.php", "a/vendor/bundle/x", "Pods/Manifest.lock"]
)
def test_downloaded_packages_are_left_out(tmp_path: Path, file: str) -> None:
    """What a package manager fills is not the project's own; a folder's name alone says nothing."""
    root = write(tmp_path, {"a.py": "", file: "", f"{file.partition('/')[0]}/x/vendor/b.py": "", "vendor2/c.py": ""})
    kept = {"a.py", "vendor2/c.py"} | ({"a/x/vendor/b.py"} if file.startswith("a/") else set())
    assert names(analyze(root)) == kept


def test_marks_can_be_switched_off(tmp_path: Path) -> None:
    """An empty list marks nothing."""
    root = write(
        tmp_path,
        {
            "cbvtool.toml": "[analysis]\nvendored = []\ngenerated = []\ntests = []\n",
            "m_pb2.py": "class C: pass\n",
            "vendor/lib.py": "",
            "tests/a.py": "",
        },
    )
    graph = analyze(root)
    assert names(graph) == {"cbvtool.toml", "m_pb2.py", "vendor/lib.py", "tests/a.py"}
    assert [marked(graph, name) for name in ("test", "generated", "vendored")] == [set(), set(), set()]


@pytest.mark.parametrize(
    ("patterns", "taken", "left"),
    [
        (GENERATED, ["a/b_pb2.py", "x.pb.go", "js/jquery.min.js", "ui_main.h"], ["pb2.py", "admin.js", "gui_x.h"]),
        (
            VENDORED,
            ["vendor/", "a/third_party/", "_vendor/", "java/vendored/"],
            ["vendor", "vendors/", "inventor/", "src/main/java/org/orm/jpa/vendor/"],
        ),
        (
            TESTS,
            ["tests/a.py", "a/test_b.py", "src/test/java/A.java", "a/FooTest.java", "b.test.ts", "c_test.go"],
            ["a/contest.py", "latest.py", "Tester.java", "testing.py", "protest/a.py"],
        ),
    ],
)
def test_defaults(patterns: tuple[str, ...], taken: list[str], left: list[str]) -> None:
    """Sensible defaults; both sides of each border."""
    found = Patterns(patterns)
    assert [path for path in taken if path not in found] == []
    assert [path for path in left if path in found] == []


def test_settings_reach_resolvers_and_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Include paths and source roots for resolvers, entry points for whoever judges unused code."""
    seen: list[Folder] = []

    class Resolver:
        @staticmethod
        def resolve(folder: Folder, facts: object) -> Resolution:
            seen.append(folder)
            return Resolution()

    monkeypatch.setattr(dividing, "resolver", lambda name: Resolver)
    graph = analyze(write(tmp_path, {"a.py": "", "cbvtool.toml": GOOD}))
    assert seen[0].include_paths == ("include", "src/lib", "")
    assert seen[0].source_roots == ("src",)
    assert graph.report.entry_points == ("bin/*.py", "main.py")
    tool = Configuration("tool", ("tool.py", "plugins/"))
    assert graph.report.configurations == (Configuration("server", ("server.py",)), tool)
    write_graph(graph, tmp_path / "graph.json")
    assert read_graph(tmp_path / "graph.json")[0].report.configurations == graph.report.configurations


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a." * 40_000 + "a = 1", "more than 50 parts"),
        ("[" + "a." * 60 + "b]\n", "more than 50 parts (at line 1)"),
        ("\n\n" + '"a" . ' * 60 + "b = 1", "more than 50 parts (at line 3)"),
        ("a = " + "[" * 5_000, "nested too deeply"),
        ("a = " + "{b = " * 5_000, "nested too deeply"),
        ("a" * 200_000, "Expected '='"),
        ('"a" ' * 50_000, "Expected '='"),
        (("a" + " " * 1_000) * 200, "Expected '='"),
    ],
)
def test_toml_that_took_for_ever(text: str, says: str) -> None:
    """Issue "Trust" item 3: 80 kB of dots took 45 s; now one sentence that names the line."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))\n"
        "from cbvtool.config import toml_of\n"
        "try: toml_of(sys.stdin.read())\n"
        "except ValueError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=text,
        timeout=60,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    assert says in done.stdout


def test_dotted_keys_and_values_with_dots() -> None:
    text = f'a.b."c.d".e = 1\nlist = [{"1.5, " * 200}]\nurl = "{".".join(["part"] * 40)}"\n[a.c]\nx = 2\n'
    assert toml_of(text)["a"]["b"] == {"c.d": {"e": 1}}


def test_a_configuration_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / "cbvtool.toml").write_text("# " + "x" * 300_000)
    (note,) = read_settings(tmp_path).notes
    assert "is too large for a configuration (293 KB, at most 256)" in note
