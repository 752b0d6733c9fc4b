"""Facts of Python files against Python's own parser and tokenizer, on real code."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages.python.names import divided
from cbvtool.analysis.languages.python.reader import declared_encoding, facts_of, read_facts, read_imports
from cbvtool.analysis.resolution import Folder, Relations
from cbvtool.regular_file import Unreadable
from tests.judges import python_facts

ROOT = Path(__file__).parents[2]


def _installed(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def _real_files() -> list[Path]:
    """Every eighth file of this project in CI, else every twelfth, and some of a package (all: docs/accuracy.md)."""
    own = sorted((ROOT / "src").rglob("*.py"))
    return own[:: 8 if "CI" in os.environ else 12] + sorted(_installed("networkx").rglob("*.py"))[::10]


@pytest.mark.long
def test_real_files_as_python_reads_them() -> None:
    """CBV-4: definitions, lines, SLOC, NL3+ and complexity as from ast and tokenize; no difference."""
    files = _real_files()
    assert len(files) > 120
    for path in files:
        data = path.read_bytes()
        assert not python_facts.differences(data, data.decode()), path


@pytest.mark.parametrize(
    ("one", "other"),
    [("x = 1", "# x"), ("if a: b", "a; b"), ("def f(): pass", "def g(): pass"), ("import a", "import b")],
)
def test_the_judge_sees_a_difference(one: str, other: str) -> None:
    """The comparison above can fail: the judge tells these texts apart."""
    assert not python_facts.differences(one.encode(), one)
    assert python_facts.differences(one.encode(), other)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a, key=lambda x, y: x, *, b=(lambda *c, d=1: d), e={'k': lambda p, q: p}): pass\n",
        "def f():\n    assert g(x) \\\n        # behind a line that goes on\n",
        "x = 1 \\\n    # behind a line that goes on\n",
    ],
)
def test_odd_spellings_as_python_reads_them(text: str) -> None:
    """Found in sympy: the comma of a lambda that is a default value, a comment behind a line that goes on."""
    assert not python_facts.differences(text.encode(), text)


@st.composite
def programs(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """Lines of a valid program, every line a statement, a clause, a comment or blank."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(_SIMPLE if depth > 4 else _SIMPLE + _COMPOUND))
        if kind in _SIMPLE:
            lines.append(kind)
            continue
        for clause in kind.split("|"):
            lines.append(clause)
            lines += [f"    {line}" if line else "" for line in draw(programs(depth + 1))]
    if all(not line.strip() or line.lstrip().startswith("#") for line in lines):
        lines.append("pass")
    return lines


_SIMPLE = [
    "x = 1",
    "",
    "# comment",
    '"text"',
    "import a.b, c as d",
    "from . import x, y",
    "from ..m import *",
    "x = a and b or c",
    "x = [i for i in y if i if j]",
    "f(lambda: 1 if a else 2)",
    "x = f'{a if b else c}'",
    "pass; import z",
]
_COMPOUND = [
    "if a:",
    "if a and b:|elif c:|else:",
    "for i in x:",
    "for i in x:|else:",
    "while a or b:",
    "with a as b:",
    "try:|except E:|else:|finally:",
    "try:|finally:",
    "def f(x=1 if a else 2):",
    "async def g():",
    "class C(D):",
    "@d(a or b)\ndef h():",
    "match x:\n    case 1 if y:\n        pass\n    case _:\n        pass\nif z:",
]


@given(programs())
def test_any_program_as_python_reads_it(lines: list[str]) -> None:
    """The same on programs that nobody would write."""
    text = "\n".join(line for statement in lines for line in _spread(statement)) + "\n"
    assert not python_facts.differences(text.encode(), text)


def _spread(statement: str) -> list[str]:
    """Lines of a statement that was indented as a whole."""
    indent = statement[: len(statement) - len(statement.lstrip())]
    first, *rest = statement.split("\n")
    return [first, *(indent + line for line in rest)]


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    """Any bytes give facts or a reason, never anything else."""
    with suppress(Unreadable):
        facts = read_facts(data)
        assert facts.measures.sloc + sum(row.measures.sloc for row in facts.definitions) <= facts.lines


_PIECES = ["def f(", "):", "class C:", "if x", ":", "\n", "    ", "import a", "from b import", "(", ")", '"""', "'"]
_PIECES += ["#", "\\", "x", "@", "case _:", "match y:", "else:", "\N{LATIN SMALL LETTER E WITH ACUTE}"]


@given(st.lists(st.sampled_from(_PIECES)))
def test_any_broken_program(pieces: list[str]) -> None:
    """Nothing becomes negative, no parent stands behind its child, whatever is broken."""
    facts = facts_of("".join(pieces).encode())
    for i, row in enumerate(facts.definitions):
        assert -1 <= row.parent < i
        assert 1 <= row.line <= row.end_line <= facts.lines
        assert min(row.measures) >= 0
    assert min(facts.measures) >= 0


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"# coding: latin-1", "latin-1"),
        (b"#!python\n# -*- coding:utf-8 -*-", "utf-8"),
        (b"\n\n# coding: latin-1", None),
        (b"x = 1\n# coding: latin-1", None),
        (b"\x0c # vim: set fileencoding=cp1252 :", "cp1252"),
        (b"x = 1  # coding: latin-1", None),
        (b"", None),
        (b"# -*- coding: UTF_8-unix -*-", "utf-8"),
        (b"# coding: iso-latin-1-dos", "iso-latin-1"),
    ],
)
def test_declared_encoding(data: bytes, encoding: str | None) -> None:
    """The encoding is declared as PEP 263 says."""
    assert declared_encoding(data) == encoding


def test_facts_are_found_in_the_running_python() -> None:
    """Standard library modules, whose names are in every Python that is supported."""
    from cbvtool.analysis.languages.python.names import STANDARD_LIBRARY

    assert {"os", "sys", "typing", "distutils", "asyncore", "compression", "cgi"} <= STANDARD_LIBRARY
    assert sys.stdlib_module_names <= STANDARD_LIBRARY


def test_the_scan_finds_what_the_parse_finds() -> None:
    """The first picture has the same imports, in real files and odd ones."""
    corpus = sorted((ROOT / "tests" / "corpus" / "python").rglob("*.py"))
    count = 0
    for path in [*_real_files(), *corpus]:
        data = path.read_bytes()
        with suppress(Unreadable):
            parsed, scanned = read_facts(data), read_imports(data)
            if not parsed.syntax_error:
                assert list(scanned.imports) == [row._replace(scope=-1) for row in parsed.imports], path
                assert scanned.lines == parsed.lines, path
                count += len(parsed.imports)
    assert count > 1000


@given(programs())
def test_the_scan_of_any_program(lines: list[str]) -> None:
    """The same on programs that nobody would write."""
    data = ("\n".join(line for statement in lines for line in _spread(statement)) + "\n").encode()
    assert list(read_imports(data).imports) == [row._replace(scope=-1) for row in read_facts(data).imports]


def _relations(texts: list[bytes]) -> tuple[dict[int, FileFacts], Relations]:
    """Of a folder with these files."""
    facts = {row: facts_of(text) for row, text in enumerate(texts)}
    files = divided(Folder(("top",), [f"{'abc'[row]}.py" for row in facts], lambda path: None), facts)
    found = files.rest()
    found.extend(files.relate(list(facts)))
    return facts, found.relations


@given(
    st.lists(st.sampled_from([*_PIECES, "f(a", "self.x = ", "return f", "@", "with f as x", ".m()", "[0]", "super()"]))
)
def test_any_broken_program_resolves(pieces: list[str]) -> None:
    """Whatever is broken, names are looked for and nothing else happens."""
    facts, relations = _relations(["".join(pieces).encode(), " ".join(pieces).encode()])
    for relation in relations:
        for place in (relation.source, relation.target):
            assert place.definition < len(facts[place.file].definitions)


@pytest.mark.parametrize(
    "text",
    [
        "class A(B): pass\nclass B(A):\n    def f(self):\n        self.g()\n",
        "a = b\nb = a\na()\n",
        "def f():\n    return f()\n\n\nf().x()\n",
        "x = [x]\nfor y in x:\n    y[0][0]()\n",
        "def f():\n    a = " + "(" * 150 + ")" * 150 + "\n    return a\n",
        "d = [" + "f() + " * 400 + "f()]\nd[0]()\ndef f(): pass\n",
        "def f(): pass\n" + "f" + "()" * 90 + "\n" + "f" + ".a" * 140 + "()\n",
    ],
)
def test_circles_and_depths_end(text: str) -> None:
    """Names that mean themselves, and expressions of any depth."""
    _relations([text.encode()])
