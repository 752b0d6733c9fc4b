"""The reader of C and C++ on bytes that are meant to hurt, and its two stages against each other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages.branches import first_branches
from cbvtool.analysis.languages.c.directives import imports_of
from cbvtool.analysis.languages.c.readable import without_macros
from cbvtool.analysis.languages.c.reader import is_cpp, read_facts, read_imports
from cbvtool.regular_file import Unreadable

BIG = 100_000
HOSTILE = {
    "include on one line": b"include" * BIG,
    "continued includes": b"include\\\n" * BIG,
    "open comments": b"/*include\n" * BIG,
    "open raw strings": b'#include "a.h"\nR"(' + b'R"x(\n' * BIG + b'#include "b.h"\n',
    "escaped quotes": b'R"' + b'\\"' * BIG + b"\n#include <a>",
    "open conditions": b"#if 0\n" * BIG + b'#include "a.h"\n',
    "angles": b"struct A " + b"<" * BIG,
    "class macros": b"class " + b"AAA " * BIG + b"x {",
    "linkage": b"#if __cplusplus\n" * (BIG // 10),
    "annotations": b"GUARDED_BY(" * BIG,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_directives_are_read_in_linear_time(name: str) -> None:
    """A search that looked at everything again for every line would take hours here."""
    imports_of(HOSTILE[name])
    without_macros(HOSTILE[name])
    first_branches(HOSTILE[name])


@pytest.mark.parametrize(
    "opening", [b"(", b"{", b"a(", b"a.b(", b"[", b"int x = -", b"namespace a {", b"class A {", b"x<"]
)
@pytest.mark.parametrize("name", ["a.c", "a.cpp"])
def test_deep_nesting_neither_overflows_nor_hangs(opening: bytes, name: str) -> None:
    """Deep enough for either; tests/analysis/test_bad_input.py goes deeper still, in processes of their own."""
    source = b"void f() { " + opening * 25_000
    try:
        found = read_facts(source, name)
    except Unreadable:
        return
    assert isinstance(found, FileFacts)


@pytest.mark.parametrize("name", ["a.c", "a.h", "a.cpp"])
def test_a_long_chain_of_calls(name: str) -> None:
    assert read_facts(b"void f() { x" + b".a()" * 20_000 + b"; }", name).definitions[0].name == "f"


PIECES = st.sampled_from(
    [
        '#include "a.h"\n',
        "#include <b.h>\n",
        "/* ",
        " */",
        "// ",
        "\n",
        '"',
        "'",
        "\\\n",
        'R"(',
        ')"',
        "#if 0\n",
        "#else\n",
        "#endif\n",
        "int f() { return 1; }\n",
        "class A {\n",
        "};\n",
        "import m;\n",
        "export module m;\n",
        '#define P "p.h"\n',
        "#include P\n",
        "template <class T> ",
        "namespace n {\n",
        "}\n",
        "x.y(z);\n",
        "static ",
        "struct B { ",
        "typedef ",
        "~A(",
        "A::b",
        "int ",
        "(*f)",
        "= ",
        "operator",
        "%: include <c.h>\n",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_both_stages_find_the_same_imports(text: str) -> None:
    """`read_imports` gives a first picture without a parse; what comes later must not contradict it."""
    facts, first = read_facts(text.encode(), "a.cpp"), read_imports(text.encode(), "a.cpp")
    assert facts.imports == first.imports
    assert facts.lines == first.lines
    assert [mark for mark in first.marks if mark not in facts.marks] == []


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_readable_versions_have_the_same_places(text: str) -> None:
    source = text.encode()
    for version in (without_macros(source), first_branches(source)):
        assert len(version) == len(source)
        assert version.count(b"\n") == source.count(b"\n")


@pytest.mark.parametrize(
    ("source", "name", "plus"),
    [
        (b"int f(void);", "a.h", False),
        (b"class A {};", "a.h", True),
        (b"namespace a { }", "a.h", True),
        (b"template <class T> T f();", "a.h", True),
        (b"struct A { int b; };", "a.h", False),
        (b"std::string s;", "a.h", True),
        (b"class A {};", "a.c", False),
        (b"int f(void);", "a.hpp", True),
        (b"int class;", "a.h", False),
    ],
)
def test_headers_are_read_as_what_stands_in_them(source: bytes, name: str, plus: bool) -> None:
    assert is_cpp(source, name) is plus


def test_a_header_that_only_cpp_can_read_is_read_again() -> None:
    facts = read_facts(b"struct A { void f() { g(); } explicit A(int x) : b(x) {} int b; };\n", "a.h")
    assert [definition.name for definition in facts.definitions] == ["A", "f", "A"]
    assert not facts.syntax_error


def test_comments_stay_in_the_branches_that_are_left_out() -> None:
    """What is left out is still a comment, on the lines of directives too, else it would be counted as code."""
    source = b'#ifdef A\nf("/*");\n#else /* goes\n   on */\n// b\ng(1);\n#endif // c\n'
    assert first_branches(source).split(b"\n") == [
        b"        ",
        b'f("/*");',
        b"      /* goes",
        b"   on */",
        b"// b",
        b"     ",
        b"       // c",
        b"",
    ]


def test_only_conditions_that_cut_a_statement_are_joined() -> None:
    """Others keep their directives and all of their branches."""
    whole = b"#if A\nf();\n#else\ng();\n#endif\n"
    assert first_branches(whole, cut_only=True) == whole
    assert first_branches(b"if(a) f();\n#if A\nelse g();\n#endif\n", cut_only=True).split() == [
        b"if(a)",
        b"f();",
        b"else",
        b"g();",
    ]
