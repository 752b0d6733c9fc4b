"""CBV-7, DND-8: the language of the search field is read as people mean it, and nothing that is typed breaks it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.asking.expression import (
    All,
    Among,
    Any,
    Arithmetic,
    Comparison,
    Day,
    Kind,
    Measure,
    Name,
    Negative,
    Not,
    Number,
    Path,
    PatternTerm,
    QueryError,
    WordTerm,
    amounts,
    measures,
    parse,
    pattern_fault,
    to_text,
)
from cbvtool.graph import GraphBuilder
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Metric, Subject

AMOUNTS = [name for name, metric in METRICS.items() if metric.names is None]
SLOC, NL3, COMMITS = Measure("sloc"), Measure("nl3"), Measure("commits")


def more(metric: Measure, number: float) -> Comparison:
    return Comparison((">",), (metric, Number(number)))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", None),
        ("  \t", None),
        ("session", WordTerm("session")),
        ("  view   panel ", WordTerm("view panel")),
        ("not and or", WordTerm("not and or")),  # words alone are words
        ("core/model", WordTerm("core/model")),
        ("std::vector", WordTerm("std::vector")),
        ("/^get.*$/", PatternTerm("^get.*$")),
        ("/a\\/b/", PatternTerm("a/b")),
        ("/unfinished", PatternTerm("unfinished")),
        ("kind:class", Kind("class")),
        ("kind: class", Kind("class")),
        ("path:core/", Path("core/")),
        ("path:/^src/", PatternTerm("^src", path=True)),
        ('"operator<"', Name("operator<")),
        ("name:x", Name("x")),
        ("commits > 100 and nl3 > 0.2", All((more(COMMITS, 100), more(NL3, 0.2)))),
        ("commits > 100 nl3 > 0.2", All((more(COMMITS, 100), more(NL3, 0.2)))),
        ("COMMITS > 100 AND NL3 > 20 %", All((more(COMMITS, 100), more(NL3, 0.2)))),
        ("commits > 100 commits", more(COMMITS, 100)),
        ("lines > 1,500 lines or loc > 2k", Any((more(SLOC, 1500), more(SLOC, 2000)))),
        ("source_lines > 1", more(SLOC, 1)),
        (
            "not kind:file and fan_in >= 10 or authors == 1",
            Any(
                (
                    All((Not(Kind("file")), Comparison((">=",), (Measure("fan_in"), Number(10))))),
                    Comparison(("==",), (Measure("authors"), Number(1))),
                )
            ),
        ),
        ("10 < sloc <= 50", Comparison(("<", "<="), (Number(10), SLOC, Number(50)))),
        ("complexity / sloc > 0.3", Comparison((">",), (Arithmetic("/", Measure("complexity"), SLOC), Number(0.3)))),
        (
            "(complexity + 1) * 2 = -nl3",
            Comparison(
                ("==",), (Arithmetic("*", Arithmetic("+", Measure("complexity"), Number(1)), Number(2)), Negative(NL3))
            ),
        ),
        ("((sloc > 1))", more(SLOC, 1)),
        ("(sloc > 1 or nl3 > 0) and kind:class", All((Any((more(SLOC, 1), more(NL3, 0))), Kind("class")))),
        ("view panel kind:class", All((WordTerm("view panel"), Kind("class")))),
        ("view and panel kind:class", All((WordTerm("view"), WordTerm("panel"), Kind("class")))),
        ("visit sloc > 20", All((WordTerm("visit"), more(SLOC, 20)))),
        ("core/model.py sloc>20", All((WordTerm("core/model.py"), more(SLOC, 20)))),
        ("changed < 2024-02-29", Comparison(("<",), (Measure("last_change"), Day("2024-02-29")))),
        ("sloc ≥ 3", Comparison((">=",), (SLOC, Number(3)))),
        ('language == "Python"', Among("language", ("Python",))),
        ("LANGUAGE = 'C or C++'", Among("language", ("C or C++",))),
        ("lang = C++ sloc > 1", All((Among("language", ("C++",)), more(SLOC, 1)))),
        ("author != x@y.org", Among("main_author", ("x@y.org",), other=True)),
        ("owner <> 'o\\'hara'", Among("main_author", ("o'hara",), other=True)),
        ("kind in (class, enum)", Among("kind", ("class", "enum"))),
        ('language not in ("Go", no suffix , C#)', Among("language", ("Go", "no suffix", "C#"), other=True)),
        (
            "not kind == file or main_author == ada",
            Any((Not(Among("kind", ("file",))), Among("main_author", ("ada",)))),
        ),
        ("(language == Go)", Among("language", ("Go",))),
        ("kind", WordTerm("kind")),
        ("kind of magic sloc > 1", All((WordTerm("kind of magic"), more(SLOC, 1)))),
        ("what is in (here)", WordTerm("what is in here")),
    ],
)
def test_what_is_meant(text: str, query: object) -> None:
    """CBV-7: words, /patterns/, kind:, path:, and metric expressions with aliases, units, chains and arithmetic."""
    assert parse(text, METRICS) == query


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nl4 > 0.2", "nl4 is not a metric: did you mean nl3? (character 1)."),
        ("sloc > 3 and complexty > 1", "complexty is not a metric: did you mean complexity? (character 14)."),
        ("sloc >", "A number or a metric is missing after > (character 6)."),
        ("sloc > 3 and", "Something is missing after and (character 13)."),
        ("(sloc > 3", "The ) for this ( is missing (character 1)."),
        ("sloc > 3)", "There is no ( for this ) (character 9)."),
        ("kind:", "Something is missing after kind: (character 1)."),
        ("/(/", "The regular expression cannot be used: a ) is missing (character 1)."),
        ("> 3", "> has nothing before it (character 1)."),
        ("changed > 2024-02-30", "2024-02-30 is not a valid date (character 11)."),
        ("sloc > 1e999", "1e999 is too large (character 8)."),
        ("x > 1", f"x is not a metric; there are {', '.join(AMOUNTS)} (character 1)."),
        ('kind:file ""', "There is nothing between the quotes (character 11)."),
        ("(" * 99 + "kind:file", "The query is nested deeper than 40 levels (character 42)."),
        ("languages == Go", "languages is not a metric: did you mean language? (character 1)."),
        ("language > 3", "language is a class: ask with ==, != or in (...) (character 1)."),
        ("sloc > 1 + kind", "kind is a class, which has no amount (character 12)."),
        ("language ==", "The name of a language is missing (character 12)."),
        ("language in (Go, ", "The name of a language is missing (character 18)."),
        ("language in (Go", "The ) for this ( is missing (character 13)."),
        ("x" * 1001, "The query is longer than 1,000 characters (character 1001)."),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_place(text: str, sentence: str) -> None:
    """CBV-7: a query that cannot be understood is told so, where, and what may have been meant."""
    with pytest.raises(QueryError) as caught:
        parse(text, METRICS)
    assert str(caught.value) == sentence
    assert 0 <= caught.value.start < caught.value.end


LANGUAGES = ("C", "C++", "Go", "JavaScript", "Python")


@pytest.fixture(scope="module")
def metrics() -> dict[str, Metric]:
    """The metrics of a subject with a file in each of some languages."""
    builder = GraphBuilder("subject")
    for name in ("a.py", "b.c", "c.cpp", "d.go", "e.js"):
        builder.add_node(name, "", name, "file", file=name)
    subject = Subject(builder.freeze())
    return {name: metric.of(subject) for name, metric in METRICS.items()}


def test_classes_of_a_subject_are_known(metrics: dict[str, Metric]) -> None:
    """Whatever their case; which rows they are is found once."""
    query = parse("language in (python, 'GO')", metrics)
    assert query == Among("language", ("python", "GO"), rows=frozenset({2, 4}))
    assert parse(to_text(query), metrics) == query


@pytest.mark.parametrize(
    ("text", "sentence", "offers"),
    [
        ("language == pyton", "No language is called pyton: did you mean Python? (character 13).", ('"Python"',)),
        (
            "sloc > 1 language in (go, 'PY",
            "No language is called PY: did you mean Python? (character 27).",
            ('"Python"',),
        ),
        (
            "language == Klingon",
            "No language is called Klingon: there are C, C++, Go, JavaScript, Python (character 13).",
            (),
        ),
        ("language != ", "The name of a language is missing (character 13).", tuple(f'"{name}"' for name in LANGUAGES)),
        ("kind == fil", "No kind is called fil: did you mean file? (character 9).", ('"file"',)),
        ("complexty > 1", "complexty is not a metric: did you mean complexity? (character 1).", ("complexity",)),
        ("change > 1", "change is not a metric: did you mean changes? (character 1).", ("changes", "change_frequency")),
    ],
)
def test_what_may_be_meant_is_offered(
    text: str, sentence: str, offers: tuple[str, ...], metrics: dict[str, Metric]
) -> None:
    """CBV-7: what stands in place of the wrong characters makes a query of it."""
    with pytest.raises(QueryError) as caught:
        parse(text, metrics)
    assert str(caught.value) == sentence
    assert caught.value.offers == offers
    for offer in offers:
        completed = f"{text[: caught.value.start]}{offer}{text[caught.value.end :]}"
        with contextlib.suppress(QueryError):  # more may be missing
            completed += ")" * completed.count("(")
            assert parse(completed, metrics) is not None


@pytest.mark.parametrize(
    "text", ["a+b*", "(a+)b", "(ab)+", "[(+]+x", "(get|set)_x", r"\(a+\)+", "(a|b){2}", "a{2,3}", "(a|aa)+$"]
)
def test_usual_patterns_can_be_asked(text: str) -> None:
    assert pattern_fault(text) is None


# -- any query ---------------------------------------------------------------------------------------------------

_texts = st.text(min_size=1, max_size=8).filter(lambda text: text.strip() == text)
_words = st.lists(st.text('abc._:/<"\\', min_size=1, max_size=5), min_size=1, max_size=3).map(" ".join)
_numbers = st.floats(0, 1e300).map(Number) | st.integers(0, 10**6).map(lambda value: Number(float(value)))
_amounts = st.recursive(
    _numbers | st.sampled_from([Measure(name) for name in AMOUNTS]) | st.dates().map(lambda day: Day(day.isoformat())),
    lambda inner: st.builds(Arithmetic, st.sampled_from("+-*/"), inner, inner) | st.builds(Negative, inner),
    max_leaves=5,
)
_signs = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
_comparisons = st.integers(1, 3).flatmap(
    lambda count: st.builds(Comparison, st.tuples(*[_signs] * count), st.tuples(*[_amounts] * (count + 1)))
)


def _can_be_written(text: str) -> bool:
    """A slash is the same with a backslash before it and without, and is kept without."""
    return "\\/" not in text and pattern_fault(text) is None


_classes = st.sampled_from([name for name in METRICS if name not in AMOUNTS])
_terms = (
    st.builds(Among, _classes, st.lists(_texts, min_size=1, max_size=3).map(tuple), st.booleans())
    | _words.map(WordTerm)
    | _texts.map(Name)
    | _texts.map(Kind)
    | _texts.map(Path)
    | _comparisons
    | st.builds(PatternTerm, st.text("ab/.\\|[]", min_size=1, max_size=6).filter(_can_be_written), st.booleans())
)


def _joined(kind: type, inner: st.SearchStrategy) -> st.SearchStrategy:
    """Parts that are not of the same kind: those are read as one."""
    parts = inner.filter(lambda part: not isinstance(part, kind))
    return st.lists(parts, min_size=2, max_size=3).map(lambda found: kind(tuple(found)))


queries = st.recursive(_terms, lambda inner: inner.map(Not) | _joined(All, inner) | _joined(Any, inner), max_leaves=6)


@given(queries)
def test_a_query_is_read_as_it_was_written(query) -> None:
    """CBV-7: filters are combined as queries and kept as texts."""
    text = to_text(query)
    if len(text) <= 1000:
        assert parse(text, METRICS) == query


_pieces = [
    "sloc",
    "nl4",
    ">",
    "<=",
    "=",
    "and",
    "or",
    "not",
    "(",
    ")",
    "/",
    "kind:",
    "path:",
    '"',
    "3",
    "%",
    "-",
    "*",
    " ",
    "\\",
    "like:",
    "2024-01-01",
    "1e",
    "kind",
    "in",
    "'",
    ",",
    "é",
    "\0",
    "\udc80",
]


@given(st.lists(st.sampled_from(_pieces), max_size=14).map("".join) | st.text(max_size=30))
def test_whatever_is_typed_is_a_query_or_told_to_be_none(text: str) -> None:
    """CBV-7: as you type, most of what stands in the field is half a query."""
    with contextlib.suppress(QueryError):
        query = parse(text, METRICS)
        assert query is None or all(name in METRICS for name in measures(query))
        assert query is None or set(amounts(query)) <= set(AMOUNTS)
