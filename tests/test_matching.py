"""Issue "Trust" item 3: patterns from outside go through one door, take linear time, and find what `re` finds."""

from __future__ import annotations

import ast
import fnmatch
import functools
import re
import signal
import subprocess
import sys
import unicodedata
import warnings
from pathlib import Path

import pytest
import re2
from hypothesis import example, given
from hypothesis import strategies as st

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import Cancelled
from cbvtool.matching import Lines, PatternError, Set, compiled, glob
from tests.hostile_patterns import hostile_patterns

ROOT = Path(__file__).parents[1]

# -- the same as `re` --------------------------------------------------------------------------------------------

_signs = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "_",
        "7",
        "é",
        "Ж",
        " ",
        r"\w",
        r"\W",
        r"\d",
        r"\D",
        r"\s",
        r"\S",
        ".",
        r"\.",
        "[ab]",
        "[^ab]",
        "[a-f0-9]",
        "[^a-f]",
        r"[\w.]",
        r"[^\W\d]",
        r"[\Wa]",
        "[é-я]",
        "[]x]",
        "[-a]",
        r"\x61",
        r"\u00e9",
        r"\t",
        "-",
        "/",
    ]
)
_patterns = st.recursive(
    _signs,
    lambda inner: (
        st.builds("{}{}".format, inner, inner)
        | st.builds("(?:{}|{})".format, inner, inner)
        | st.builds("({}){}".format, inner, st.sampled_from(["", "?", "*", "+", "{2}", "{1,2}", "{,2}", "*?", "+?"]))
        | st.builds("(?i:{})".format, inner)
        | st.builds("^{}".format, inner)
        | st.builds("{}$".format, inner)
    ),
    max_leaves=6,
)
_texts = st.text("abAB_7éЖя汉 .-/٣\t", max_size=8)


@given(_patterns, st.lists(_texts, max_size=6), st.booleans())
@example(r"[^\W\d]+", ["é", "7", ""], False)
@example("(?i:É)", ["é"], False)
@example("", ["", "a", "é"], False)
@example("$", ["", "a"], False)
def test_finds_what_re_finds(pattern: str, texts: list[str], ignore_case: bool) -> None:
    judge = re.compile(pattern, re.I if ignore_case else 0)
    found = compiled(pattern, ignore_case=ignore_case)
    assert sorted(found.rows(Lines(texts))) == [row for row, text in enumerate(texts) if judge.search(text)]
    assert [found.search(text) for text in texts] == [judge.search(text) is not None for text in texts]


@given(_patterns, st.lists(st.text("abA_7 .-\t", max_size=4), min_size=9, max_size=40), st.booleans())
@example("a", ["a"] * 9 + ["b"] + ["ba"] * 9, False)
@example("", [""] * 9, False)
@example("[^b]", ["a", "b"] * 9 + ["a"] * 9, False)
@example("(?s:a.)", ["a"] * 9 + ["ab"] * 9, False)
def test_finds_runs_of_lines(pattern: str, texts: list[str], ignore_case: bool) -> None:
    """Many lines that match one after the other are found at once; none may reach into the next one."""
    texts = sorted(texts)
    judge = re.compile(pattern, re.I if ignore_case else 0)
    found = compiled(pattern, ignore_case=ignore_case).rows(Lines(texts))
    assert found == [row for row, text in enumerate(texts) if judge.search(text)]


@given(st.text("abr_7. -", max_size=12), st.sampled_from([r"\ba", r"b\b", r"\Bb", r"\bar\b", r"a\B"]))
def test_ends_of_words_in_names_of_ascii(text: str, pattern: str) -> None:
    assert compiled(pattern).search(text) == (re.search(pattern, text) is not None)


def test_ends_of_words_elsewhere_go_by_the_letters_of_ascii() -> None:
    """The one known difference in what is found; docs/guide.md says so."""
    assert compiled(r"\be").search("größe")
    assert re.search(r"\be", "größe") is None


@functools.cache
def _known_characters() -> list[str]:
    """Every character that both know: Python's tables and those of RE2 may be of different years."""
    in_re2 = re2.compile(r"[\pL\pM\pN\pP\pS\pZ\pC]")
    return [
        chr(code)
        for code in range(0x80, 0x20000)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co") and in_re2.search(chr(code))
    ]


@pytest.mark.parametrize("pattern", [r"\w", r"\d", r"\s", r"[^\W]", r"[^\D]", r"[^\S]", r"\W", r"\D", r"\S"])
def test_classes_are_those_of_unicode(pattern: str) -> None:
    known = _known_characters()
    assert len(known) > 70_000
    found, judge = set(compiled(pattern).rows(Lines(known))), re.compile(pattern)
    differ = [row for row, sign in enumerate(known) if (judge.search(sign) is not None) != (row in found)]
    assert len(differ) < 50, [f"{ord(known[row]):x}" for row in differ]


@given(st.text("ab*?[]!^-\\é", max_size=8), st.text("ab[]!^-\\é", max_size=6))
def test_globs_are_those_of_fnmatch(pattern: str, text: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            judge = re.compile(fnmatch.translate(pattern))
        found = glob(pattern)
    except (PatternError, re.error):
        return  # a range that runs backwards matches nothing for `fnmatch`
    assert found.search(text) == (judge.match(text) is not None)


def test_names_that_are_no_unicode_and_line_feeds() -> None:
    """Bytes of names that are no UTF-8 differ from each other; a text is one line whatever is in it."""
    assert compiled("caf\udce9").search("caf\udce9")
    assert not compiled("caf\udce9").search("caf\udcea")
    assert compiled("^caf.$").search("caf\udce9")
    assert compiled(r"a\sb$").search("a\nb")
    assert not compiled("^b").search("a\nb")
    assert compiled("x$").rows(Lines(["a\nx", "x\ny", "x"])) == [0, 2]


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(?=a)b", r"it uses looking ahead, \(\?=...\), which .* of linear time has: join two patterns with `and`"),
        ("(?<!a)b", "looking behind, .* say with `not` what must not match"),
        (r"(a)\1", "a reference back to a group"),
        ("(?P<n>a)(?P=n)", "a reference back to a group"),
        ("(?>a)", "an atomic group"),
        ("(a)?(?(1)b|c)", "a condition"),
        ("(?x)a", "the flag"),
        ("a++", "a repetition is repeated"),
        ("(", r"a \) is missing"),
        (")", r"a \) has no \("),
        ("[a", "a ] is missing"),
        ("*a", "nothing to repeat"),
        ("[z-a]", "a range"),
        ("a{1001}", "more than 1,000 times"),
        ("a{9999999999999}", "more than 1,000 times"),
        ("((a{99}){99}){99}", "repetitions are too large"),
        ("\\", r"a \\ stands at its end"),
        (r"\q", r"\\q means nothing"),
        ("a" * 1001, "longer than 1,000 characters"),
        (r"\x4", "number of a character"),
        ("(?P<1>a)", "no name"),
    ],
)
def test_what_is_not_offered_is_said_in_words(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=says) as caught:
        compiled(pattern)
    assert not str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@given(st.text(r"ab\()[]{}*+?|^$.,-0123:=!<>PiwdsWé", max_size=30))
def test_any_text_is_a_pattern_or_refused(pattern: str) -> None:
    try:
        found = compiled(pattern)
    except PatternError:
        return
    found.search("abab é!")


# -- many at once ------------------------------------------------------------------------------------------------


@given(st.lists(_patterns, max_size=8), _texts)
def test_a_set_says_which_patterns_match(patterns: list[str], text: str) -> None:
    expected = [row for row, pattern in enumerate(patterns) if re.search(pattern, text)]
    assert sorted(Set(patterns).matching(text)) == expected


def test_a_large_set_loses_nothing() -> None:
    """A set that ran out of memory would say that nothing matches."""
    patterns = [f"^(?:.+/)?[^/]*a[^/]*a[^/]*a{row}(?:/|$)" for row in range(3_000)]
    found = Set([*patterns, "(", "[z-a]"])
    assert sorted(found.matching("x/baaa17")) == [17]
    assert sorted(found.matching("a" * 240)) == []
    assert [row for row, _ in found.refused] == [3_000, 3_001]


# -- limits ------------------------------------------------------------------------------------------------------


def test_a_search_spends_its_budget_and_can_be_cancelled() -> None:
    lines = Lines(["a" * 100] * 100_000)
    spending = Budget("The search")
    compiled("b").rows(lines, spending.spend)
    assert spending.spent_size >= 100 * 100_000

    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        compiled("c").rows(lines, Budget("The search", cancel=cancel).spend)
    with pytest.raises(OverBudget, match="more than 1 MB"):
        compiled("d").rows(lines, Budget("The search", size=1_000_000).spend)


def test_many_patterns_spend_the_budget_too() -> None:
    """Each automaton reads the whole text, in UTF-8; patterns that are too many for one have several."""
    spent: list[tuple[int, int]] = []
    assert Set(["ä", "b"]).matching("äb", lambda count, size: spent.append((count, size))) == [0, 1]
    assert spent == [(0, 3)]
    spent.clear()
    Set([f"{number:05}" + "x" * 3_000 for number in range(6)]).matching("äb", lambda *cost: spent.append(cost))
    assert spent == [(0, 3)] * 3


_ENDLESS = """
from cbvtool.matching import Lines, compiled
from tests.hostile_patterns import nasty_names
lines, pattern = Lines(nasty_names(3_000)), compiled("([ab]{0,30}a){30}!")
print("searching", flush=True)
while True:
    pattern.rows(lines)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_ctrl_c_is_heard_during_a_search() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _ENDLESS],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": ""},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"searching\n"
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=30)
        finally:
            process.kill()
    assert b"KeyboardInterrupt" in said


_ATTACK = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
from pathlib import Path
from tests.hostile_patterns import hostile_patterns, nasty_names
from cbvtool.asking.expression import QueryError, parse
from cbvtool.asking.search import kept, search
from cbvtool.budget import OverBudget
from cbvtool.graph import GraphBuilder
from cbvtool.metrics import METRICS
from cbvtool.plan.document import Document
from cbvtool.project import Project
from cbvtool.session import Session

builder = GraphBuilder("subject")
for name in (*nasty_names(60), "ordinary.py"):
    builder.add_node(name, "", name, "file")
graph = builder.freeze()
project = Project(Path("subject").absolute(), "subject", graph, None, "", "folder")
session = Session()
answered = refused = 0
for row, pattern in enumerate(hostile_patterns(200)):
    for text in ("/" + pattern + "/", "path:/" + pattern + "/ or /^ordinary/"):
        try:
            query = parse(text, METRICS)
        except QueryError:
            refused += 1
            continue
        search(graph, query, {})
        kept(graph, query, {})
        answered += 1
    if row < 50:
        session.open(project, Document(project.path, "subject", "", view={"only": "/" + pattern + "/"}))
        session.scene()
    assert [graph.ids[key] for key in search(graph, parse("/^ord.*y[.]py$/", METRICS), {}).keys] == ["ordinary.py"]
print(answered, refused)
"""


@pytest.mark.long
def test_two_hundred_hostile_patterns_do_no_harm() -> None:
    """Through the query language, a search, a filter and a document, in a process that is killed if one takes long."""
    done = subprocess.run(
        [sys.executable, "-c", _ATTACK],
        cwd=ROOT,
        timeout=120,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "OPENBLAS_NUM_THREADS": "1", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    answered, refused = map(int, done.stdout.split())
    assert answered + refused == 400
    assert answered >= 250


def test_the_hostile_patterns_are_hostile() -> None:
    """The first ones keep `re` busy for longer than a second with one name; else the test above means nothing."""
    code = "import re, sys; re.search(sys.argv[1], 'a' * 100 + '.py')"
    for pattern in hostile_patterns(3):
        with pytest.raises(subprocess.TimeoutExpired):
            subprocess.run([sys.executable, "-c", code, pattern], timeout=1, check=False)


# -- one door ----------------------------------------------------------------------------------------------------

_TAKES_PATTERN = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer", "template"}


_NAMES_ONE = re.compile(r"\b(re|re2|regex|fnmatch|sre_compile|pathspec|glob)\b")


def foreign_patterns(source: str) -> list[str]:
    """Uses of `re` and `fnmatch` in a source file with a pattern that does not stand in our own code.

    A pattern is ours if it is made of literals, of constants of the module (an upper-case name), and of what was
    escaped. Passing the function itself on, and `from re import compile`, count as well.
    """
    if not _NAMES_ONE.search(source):  # to parse all files takes seconds
        return []
    tree, found = ast.parse(source), []
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("re", "fnmatch", "sre_compile", "pathspec", "glob"):
            found.append(f"line {node.lineno}: from {node.module} import ...")
        elif isinstance(node, ast.Import):
            strange = [
                name.name
                for name in node.names
                if name.name.partition(".")[0] in _OTHERS or (name.asname and name.name == "re")
            ]
            found += [f"line {node.lineno}: import {name}" for name in strange]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
            if node.attr in _TAKES_PATTERN and id(node) not in called:
                found.append(f"line {node.lineno}: re.{node.attr} is passed on")
        elif isinstance(node, ast.Call) and _is_of_re(node.func):
            pattern = (
                node.args[0]
                if node.args
                else next((word.value for word in node.keywords if word.arg == "pattern"), None)
            )
            if pattern is None or not _is_ours(pattern):
                found.append(f"line {node.lineno}: re.{node.func.attr}({ast.unparse(pattern) if pattern else ''})")
    return found


_OTHERS = {"fnmatch", "regex", "sre_compile", "re2", "pathspec", "glob"}


def _is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in _TAKES_PATTERN
    )


def _is_ours(pattern: ast.expr) -> bool:
    match pattern:
        case ast.Constant():
            return True
        case ast.Name(name):
            return name.isupper()
        case ast.Attribute(value, "pattern"):  # of one that was compiled here
            return _is_ours(value)
        case ast.BinOp(left, ast.Add() | ast.Mult() | ast.Mod(), right):
            return _is_ours(left) and _is_ours(right)
        case ast.Tuple(parts):
            return all(map(_is_ours, parts))
        case ast.JoinedStr(parts):
            return all(_is_ours(part) for part in parts)
        case ast.FormattedValue(value):
            return _is_ours(value)
        case ast.Call(ast.Attribute(ast.Name("re"), "escape")):
            return True
        case ast.Call(ast.Attribute(inner, "join" | "encode"), args):
            return _is_ours(inner) and all(map(_is_ours, args))
        case ast.GeneratorExp(element) | ast.ListComp(element):
            return _is_ours(element)
        case _:
            return False


DOOR = ROOT / "src" / "cbvtool" / "matching"
ALLOWED = {
    # Translates the lines of a .gitignore; what comes out goes through the door.
    "src/cbvtool/analysis/patterns.py": ["from pathspec.patterns.gitignore.spec"],
    # Its own tables of constants.
    "src/cbvtool/analysis/languages/c/readable.py": ["+ word + "],
    "src/cbvtool/formats/registry.py": ["known.mark"],
    "src/cbvtool/plan/sites/text.py": ["_PATTERNS[style]"],
    # Made of escaped names.
    "src/cbvtool/plan/sites/javascript.py": ["member.pattern"],
    "src/cbvtool/apply/mentions.py": ["+ listed +"],
    "src/cbvtool/apply/new_names.py": ["+ full +"],
}


def test_patterns_from_outside_go_through_one_door() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        if not path.is_relative_to(DOOR):
            rest = [one for one in foreign_patterns(text) if not any(ours in one for ours in ALLOWED.get(name, ()))]
            found |= {name: rest} if rest else {}
    assert found == {}


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("re.compile(text)", True),
        ("re.search(query.text, name)", True),
        ("re.sub(f'a{b}', '', c)", True),
        ("re.match(pattern=p, string=s)", True),
        ("map(re.compile, lines)", True),
        ("from re import compile", True),
        ("import re as r", True),
        ("from fnmatch import translate", True),
        ("import fnmatch", True),
        ("re.split('a' + b, c)", True),
        ("import regex", True),
        ("import re2", True),
        ("from pathspec import GitIgnoreSpec", True),
        ("re.compile(str(A))", True),
        ("re.compile(_A.pattern + rb'b')", False),
        ("re.sub(r'a', b, c)", False),
        ("re.compile(rf'{_A}|b')", False),
        (r"re.compile(rf'\b{re.escape(word)}')", False),
        ("re.compile('|'.join(_A))", False),
        ("compile(text)", False),
    ],
)
def test_a_second_door_is_seen(source: str, caught: bool) -> None:
    assert bool(foreign_patterns(source)) == caught


def test_toml_is_read_in_one_place() -> None:
    """`tomllib` takes time with the square of the parts of a key; `config.toml_of` looks first."""
    users = [
        path.name
        for path in (ROOT / "src").rglob("*.py")
        if re.search(r"^\s*(?:import|from) tomllib\b", path.read_text(), re.MULTILINE)
    ]
    assert users == ["config.py"]
