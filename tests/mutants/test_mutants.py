"""The faults that `make mutants` plants: what is changed, what never is, and that tests that notice are noticed."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from tests.mutants import mutants
from tests.mutants.mutations import Sites
from tests.mutants.nearest import Nearest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def changes(source: str) -> set[tuple[str, str]]:
    """(kind, changed source) of every fault there is for it."""
    return {(found.kind, found.applied(source)) for found in Sites(source).all()}


@pytest.mark.parametrize(
    ("kind", "source", "changed"),
    [
        ("comparison", "a < b", {"(a <= b)", "(a >= b)"}),
        ("comparison", "a in b", {"(a not in b)"}),
        ("arithmetic", "x = a - b * c", {"x = (a + b * c)", "x = a - (b / c)"}),
        ("arithmetic", "x = 'a' + b", set()),  # every test that comes by fails
        ("arithmetic", "x = cast(int | None, y)", set()),
        ("constant", "zip(a, b, strict=True)", set()),
        ("and/or", "a and b", {"(a or b)"}),
        ("not", "x = not a", {"x = (a)"}),
        ("not", "x = b if a else c", {"x = (b if not a else c)"}),
        ("constant", "x = 0", {"x = (1)", "x = (-1)"}),
        ("constant", "x = True", {"x = (False)"}),
        ("slice", "a[1:]", {"(a[:])", "(a[1 + 1:])"}),
        ("swapped arguments", "f(a, b)", {"(f(b, a))"}),
        ("swapped arguments", "min(a, b)", set()),
        ("slice", "x = f'ä{a[:b]}'", {"x = (f'ä{a[:]}')", "x = (f'ä{a[:b + 1]}')"}),
        ("return value", "def f():\n    return a", {"def f():\n    return None"}),
        ("deleted statement", "def f():\n    g(a)", {"def f():\n    pass"}),
        ("deleted statement", "def f():\n    if a:\n        b = 1\n    c = 2", {"def f():\n    pass\n    c = 2"}),
    ],
)
def test_what_is_changed(kind: str, source: str, changed: set[str]) -> None:
    assert {text for found, text in changes(source) if found == kind} == changed


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring with 1 < 2."""\n',
        'def f():\n    """What 1 + 1 is."""\n',
        "def f(x: int | None) -> list[int]: ...\n",
        "class A(B, frozen=True):\n    x: Literal[1, 2]\n",
        "Row = Callable[[int], str | None]\n",
        "if TYPE_CHECKING:\n    x = 1\n",
        "def f():\n    log.info('%d of %d', 1, 2)\n",
        "def f():\n    assert isinstance(x, A)\n",
        "@lru_cache(maxsize=8)\ndef f(): ...\n",
    ],
)
def test_what_is_never_changed(source: str) -> None:
    assert changes(source) == set()


def test_each_fault_changes_the_tree_and_keeps_the_docstrings() -> None:
    """On a real file: what is written is read as another tree, with the same docstrings."""
    source = (ROOT / "src" / "cbvtool" / "cli" / "output.py").read_text(encoding="utf-8")
    clean, faults = ast.parse(source), Sites(source).all()
    assert len(faults) > 50
    for fault in faults:
        tree = ast.parse(fault.applied(source))
        assert ast.dump(tree) != ast.dump(clean), fault
        assert docstrings(tree) >= docstrings(clean) - {None}, fault


def docstrings(tree: ast.AST) -> set[str | None]:
    return {ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.FunctionDef))}


def test_the_same_seed_draws_the_same_faults() -> None:
    source = ROOT / "src" / "cbvtool" / "cli"
    first, again, other = (mutants.draw(source, seed, 20) for seed in ("a", "a", "b"))
    assert first == again != other
    assert len(set(first)) == 20
    assert mutants.draw(source, "a", 5) == first[:5]


def test_a_kind_with_few_places_is_drawn_as_often() -> None:
    """Else most faults would be constants of tables."""
    sites = Sites(f"x = [{', '.join('0' * 50)}]\ny = a < b\n")
    chance = random.Random(1)
    kinds = [found.kind for _ in range(200) if (found := sites.choose(chance))]
    assert 60 < kinds.count("comparison") < 140


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("cbvtool.hierarchies.table", "tests/hierarchies/test_groupings.py"),
        ("cbvtool.formats.registry", "tests/formats/test_registry.py"),
        ("cbvtool.cli.output", "tests/test_cli_output.py"),
        ("cbvtool.matching.engine", "tests/test_matching.py"),
        ("cbvtool.analysis.languages.java.types", "tests/analysis/test_corpus.py"),
        ("cbvtool.analysis.languages.kotlin", "tests/analysis/test_corpus.py"),
    ],
)
def test_nearest_are_the_tests_that_import_the_module(nearest: Nearest, module: str, test: str) -> None:
    files = nearest.files(module)
    assert test in files[:6]  # as many as are tried first
    assert len(files) == len(set(files)) > 100


@pytest.fixture(scope="module")
def nearest() -> Nearest:
    return Nearest(ROOT)


LOW = "def least(a, b):\n    while a > b:\n        a = b\n    return a\n"
TESTS = """
from cbvtool.low import least

def test_noticed(): assert least(2, 1) == 1
def test_broken(): assert False
"""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mutants.Lab:
    """A checkout of one module, with a test that is broken without any fault."""
    checkout = tmp_path / "small"
    for name, text in (("src/cbvtool/__init__.py", ""), ("src/cbvtool/low.py", LOW), ("tests/test_low.py", TESTS)):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(text)
    (checkout / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    (checkout / "tests/mutants").mkdir()
    (checkout / "tests/mutants/watch.py").write_text((ROOT / "tests/mutants/watch.py").read_text())
    monkeypatch.setattr(mutants, "listed", lambda: [str(path.relative_to(checkout)) for path in checkout.rglob("*.*")])
    monkeypatch.setattr(mutants, "ROOT", checkout)
    monkeypatch.setattr(mutants, "SECONDS", 1)
    return mutants.Lab(tmp_path / "lab")


def test_a_fault_counts_as_caught_if_only_the_fault_fails(lab: mutants.Lab) -> None:
    """A test that is broken without the fault as well does not count; one that hangs does. The source is as before."""
    path, tests = "cbvtool/low.py", ["tests/test_low.py"]
    assert lab.caught(path, LOW, LOW.replace("return a", "return a + 0"), tests) == ("", "")
    name, reason = lab.caught(path, LOW, LOW.replace("a > b", "a >= b"), tests)
    assert name == "tests/test_low.py::test_noticed"
    assert "status -27" in reason
    assert (lab.folder / "src" / path).read_text() == LOW
