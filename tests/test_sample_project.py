"""The sample project: its history is made the same way everywhere, its graph is the expected one."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import numpy as np
import pytest

from cbvtool import analysis
from cbvtool.formats.registry import read_graph
from cbvtool.graph import EXTERNAL, REMOVED, Confidence, Graph
from cbvtool.rules.rules_file import read_rules
from cbvtool.rules.violations import unknown_nodes, violations
from tests.graph.compare import difference

HOME = Path(__file__).parents[1] / "sample_projects"
SHOP = HOME / "shop"
EXPECTED = HOME / "shop.expected.json"


def _module(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


make_shop = _module(HOME / "make_shop.py")


def git(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "shop"
    make_shop.make(folder)
    return folder


def test_history_is_the_described_one(shop: Path) -> None:
    """Four authors, two years, a rename, a merge; the last commit holds the sources as they lie in the repository."""
    commits = git(shop, "log", "--format=%ct %ae")
    times, authors = zip(*(line.split() for line in commits), strict=True)
    assert len(commits) == 37
    assert len(set(authors)) == 4
    assert 1.9 < (int(times[0]) - int(times[-1])) / (365.25 * 86400) < 2.1
    assert len(git(shop, "log", "--merges", "--format=%h")) == 1
    renames = git(shop, "log", "--diff-filter=R", "-M", "--name-status", "--format=")
    assert renames == ["R100\tshop/domain/basket.py\tshop/domain/cart.py"]
    assert git(shop, "status", "--porcelain") == []
    files = {path.relative_to(shop) for path in shop.rglob("*.*") if ".git" not in path.parts and path.is_file()}
    for file in files:
        assert (shop / file).read_text() == (SHOP / file).read_text()
    assert files == {Path(line) for line in git(shop, "ls-files")}


def test_history_is_the_same_everywhere(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the time zone nor the configuration of git nor the environment of a hook changes a commit."""
    (tmp_path / "config").write_text("[core]\nautocrlf = true\n[user]\nname = x\n[commit]\ngpgsign = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "x")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    make_shop.make(tmp_path / "again")
    monkeypatch.delenv("GIT_DIR")
    assert git(tmp_path / "again", "rev-parse", "HEAD") == git(shop, "rev-parse", "HEAD")
    assert git(tmp_path / "again", "status", "--porcelain") == []


def test_every_state_is_python(shop: Path) -> None:
    """Whatever commit is looked at, its files parse and use no name that is not there: a subject for analysis."""
    for commit in make_shop.commits():
        for path, text in commit.files.items():
            if path.endswith(".py"):
                compile(text, path, "exec")
                for target in _imported_modules(text):
                    assert any(target in (name, f"{name}/__init__") for name in _modules(commit.files)), (path, target)


def _modules(files: dict[str, str]) -> set[str]:
    names = {path.removesuffix(".py") for path in files if path.endswith(".py")}
    return names | {name.removesuffix("/__init__") for name in names}


def _imported_modules(text: str) -> list[str]:
    lines = (line.split() for line in text.splitlines() if line.startswith(("from shop.", "import shop.")))
    return [words[1].replace(".", "/") for words in lines]


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    """A folder with something in it is refused; a shop made before is left as it is."""
    (tmp_path / "mine.txt").write_text("mine")
    script = [sys.executable, str(HOME / "make_shop.py")]
    done = subprocess.run([*script, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"{tmp_path} is not empty: name a folder that is new or empty.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    for _ in range(2):
        assert subprocess.run([*script, str(tmp_path / "shop")]).returncode == 0
        assert not (tmp_path / "shop" / "README.md").is_symlink()
        (tmp_path / "shop" / "README.md").write_text("changed by hand")
    assert (tmp_path / "shop" / "README.md").read_text() == "changed by hand"


def test_analysis_finds_the_expected_graph(shop: Path) -> None:
    """Every folder, package, file, class and function with its lines, every import with its sites."""
    graph = analysis.analyze(shop, jobs=1)
    expected, _ = read_graph(EXPECTED)
    assert difference(expected, _imports_alone(graph).with_(values={}, report=expected.report)) == []
    assert graph.report.files == expected.report.files
    assert not graph.report.skipped


def _imports_alone(graph: Graph) -> Graph:
    """The graph without what is outside, and without relations that are no imports."""
    outside = np.array([kind == EXTERNAL for kind in graph.kind_names])[graph.kinds]
    edges = graph.edges
    kept = (edges.kind == edges.kind_names.index("import")) & ~outside[edges.target]
    return graph.with_(parent=np.where(outside, REMOVED, graph.parent), edges=edges.take(kept))


@pytest.mark.parametrize(
    ("source", "kind", "target"),
    [
        ("scripts/nightly.py::main", "call", "shop/infrastructure/storage.py::backup"),
        ("tests/test_cart.py", "instantiate", "shop/domain/product.py::Product"),
        ("shop/infrastructure/mailer.py::confirmation", "call", "shop/domain/cart.py::Line.amount"),
        ("shop/infrastructure/mailer.py::confirmation", "type-use", "shop/domain/order.py::Order"),
    ],
)
def test_names_lead_to_what_they_mean(shop: Path, source: str, kind: str, target: str) -> None:
    """A call across files, an instantiation, a member of the elements of a declared list, a type."""
    graph = analysis.analyze(shop, jobs=1)
    edges = graph.edges
    found = {
        (graph.ids[edges.source[row]], edges.kind_names[edges.kind[row]], graph.ids[edges.target[row]])
        for row in range(len(edges))
        if edges.confidence[row] != Confidence.GUESS
    }
    assert (source, kind, target) in found


def test_its_rules_find_violations_and_one_cycle(shop: Path) -> None:
    """NEW-5: what sample_projects/README.md promises, with the lines; and a call that follows."""
    graph, rules = analysis.analyze(shop, jobs=1), read_rules(shop)
    found = [(v.kind, graph.ids[v.source], graph.ids[v.target], v.sites[0][1]) for v in violations(graph, rules)]
    assert unknown_nodes(graph, rules) == []
    assert sorted(found) == [
        ("cycles", "shop/domain/cart.py", "shop/domain/discount.py", 7),
        ("cycles", "shop/domain/discount.py", "shop/domain/cart.py", 7),
        ("layers", "shop/infrastructure/mailer.py", "shop/domain/cart.py", 17),
        ("layers", "shop/infrastructure/mailer.py", "shop/domain/order.py", 7),
        ("layers", "shop/services/checkout.py", "shop/ui/messages.py", 10),
    ]


def test_expected_graph_is_that_of_grimp(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The expectation itself is checked by another program: the imports inside the package `shop`."""
    monkeypatch.syspath_prepend(str(shop))
    graph = grimp.build_graph("shop", cache_dir=None)
    pairs = {(a, b) for a in graph.modules for b in graph.find_modules_directly_imported_by(a)}
    edges = json.loads(EXPECTED.read_text())["edges"]
    ours = {(_dotted(edge["source"]), _dotted(edge["target"])) for edge in edges if edge["source"].startswith("shop/")}
    assert ours == pairs


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_the_shop_sells(shop: Path, tmp_path: Path) -> None:
    """It is a program, not a prop: its own tests pass, and something can be bought."""
    shutil.copytree(shop, tmp_path / "shop", ignore=shutil.ignore_patterns(".git"))

    def python(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path / "shop", capture_output=True, text=True, check=True
        )
        return done.stdout + done.stderr

    assert "Ran 5 tests" in python("-m", "unittest", "discover", "tests")
    assert "33.88 will be collected" in python("-m", "shop", "buy", "tea", "2", "biscuits", "6", "--coupon", "welcome")
    assert "biscuits          6" in python("-m", "shop", "report")
