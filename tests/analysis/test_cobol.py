"""The sample ledger, bad input, formats, and what the corpus cannot say."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.analysis import analyze
from cbvtool.analysis.facts import EXACT, RESOLVED, FileFacts
from cbvtool.analysis.languages import LANGUAGES, language_of
from cbvtool.analysis.languages.cobol import names as cobol_names
from cbvtool.analysis.languages.cobol.reader import read_facts, read_imports
from cbvtool.analysis.languages.cobol.text import CODE, COMMENT, decode, format_of, read_text
from cbvtool.analysis.resolution import COPY, Folder
from cbvtool.graph import Confidence, Graph
from cbvtool.regular_file import Unreadable

HOME = Path(__file__).parents[2]
LEDGER = HOME / "sample_projects" / "ledger"
CORPUS = Path(__file__).parents[1] / "corpus" / "cobol"
needs_cobc = pytest.mark.skipif(not shutil.which("cobc"), reason="needs the system package gnucobol")


# -- the sample ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ledger() -> Graph:
    return analyze(LEDGER, jobs=1)


def relations(graph: Graph) -> list[str]:
    edges = graph.edges
    return sorted(
        f"{graph.ids[edges.source[row]]}:{','.join(str(line) for _, line in edges.sites(row))} "
        f"-{edges.kind_names[edges.kind[row]]}-> {graph.ids[edges.target[row]]} "
        f"{Confidence(edges.confidence[row]).name.lower()}"
        for row in range(len(edges))
    )


def test_ledger_is_the_expected_graph(ledger: Graph) -> None:
    """Programs, sections, paragraphs and every relation, as written by hand beside the sample."""
    expected = json.loads((HOME / "sample_projects" / "ledger.expected.json").read_text())
    assert relations(ledger) == sorted(expected["edges"])
    kinds = ("program", "section", "paragraph")
    nodes = [f"{ledger.ids[key]} {ledger.kind(key)}" for key in range(len(ledger)) if ledger.kind(key) in kinds]
    assert sorted(nodes) == sorted(expected["nodes"])
    assert not ledger.report.skipped
    assert not ledger.report.parse_errors


def test_ledger_tells_what_a_change_concerns(ledger: Graph) -> None:
    """DND-10: direct and transitive dependants of a copybook and of a program, over all kinds of relations."""
    users: dict[str, set[str]] = defaultdict(set)
    edges = ledger.edges
    for row in range(len(edges)):
        source, target = (ledger.files[ledger.file[end[row]]] for end in (edges.source, edges.target))
        if edges.confidence[row] != Confidence.GUESS and source != target:
            users[target].add(source)

    def dependants(file: str) -> set[str]:
        found: set[str] = set()
        todo = [file]
        while todo:
            new = users[todo.pop()] - found
            found |= new
            todo += new
        return found

    assert users["copy/GLACCT.cpy"] == {"src/GLOPEN.cbl", "src/GLCLOSE.cbl"}
    assert dependants("copy/GLACCT.cpy") == {"src/GLOPEN.cbl", "src/GLCLOSE.cbl", "src/GLMAIN.cbl"}
    assert users["copy/GLSTATUS.cpy"] == {"copy/GLENTRY.cpy"}
    assert dependants("copy/GLSTATUS.cpy") == {
        "copy/GLENTRY.cpy",
        "src/GLMAIN.cbl",
        "src/GLPOST.cbl",
        "src/GLCHECK.cbl",
    }
    assert dependants("src/GLCHECK.cbl") == {"src/GLPOST.cbl", "src/GLMAIN.cbl"}


@needs_cobc
def test_ledger_runs(tmp_path: Path) -> None:
    """It is a program, not a prop: it compiles without a warning and closes its books."""
    sources = sorted(str(path) for path in (LEDGER / "src").iterdir())
    sources.sort(key=lambda path: "GLMAIN" not in path)
    command = ["cobc", "-x", "-Wall", "-I", str(LEDGER / "copy"), "-o", str(tmp_path / "ledger"), *sources]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    output = subprocess.run([tmp_path / "ledger"], capture_output=True, text=True, check=True).stdout
    assert [line.split() for line in output.splitlines()] == [
        ["REFUSED", "10:", "20230229"],
        ["RESULT", "1099.50"],
        ["1000", "CASH", "1099.50"],
        ["4000", "SALES", "-1500.00"],
        ["5000", "RENT", "400.50"],
    ]


@needs_cobc
def test_judge_agrees_with_cobc() -> None:
    """COPY against `cobc -E`, exact; here for what the repository itself holds."""
    judge = Path(__file__).parents[1] / "judges" / "cobol_copy.py"
    folders = [LEDGER, *(CORPUS / case / "input" for case in ("copy_search", "procedures_in_copybooks"))]
    done = subprocess.run([sys.executable, judge, *folders], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" | ")[3:8] for line in done.stdout.splitlines()[2:]] == [
        ["13", "0", "13", "1.0000", "1.0000"],
        ["5", "2", "6", "1.0000", "1.0000"],
        ["4", "0", "4", "1.0000", "1.0000"],
    ]


# -- reading ---------------------------------------------------------------------------------------------------------


def test_file_names() -> None:
    """Capitals and small letters, as mainframes and Unix have them."""
    for suffix in (".cbl", ".cob", ".cobol", ".cpy", ".copy", ".pco", ".ccp"):
        for name in (f"a{suffix}", f"A{suffix.upper()}"):
            language = language_of(name)
            assert language is not None
            assert language.name == "COBOL"
    assert sum(language.name == "COBOL" for language in LANGUAGES) == 1


FILES = sorted(
    path for top in (CORPUS, LEDGER) for path in top.rglob("*") if path.suffix.lower() in (".cbl", ".cpy", ".cob")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_first_stage_finds_the_same_copies(path: Path) -> None:
    """Stage one names the same copybooks at the same lines; it does not know comment entries."""
    data = path.read_bytes()
    if b"\0" in data:
        with pytest.raises(Unreadable):
            read_imports(data)
        return
    full, quick = read_facts(data), read_imports(data)
    found = [(use.module, use.line, use.form) for use in quick.imports]
    if path.name == "TEXTS.cbl":
        found = [use for use in found if use[1] not in (3, 4)]
    assert found == [(use.module, use.line, use.form) for use in full.imports]
    assert quick.lines == full.lines
    assert quick.measures.sloc == full.measures.sloc + sum(row.measures.sloc for row in full.definitions)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", "FIXED"),
        ("000100 IDENTIFICATION DIVISION.", "FIXED"),
        ("       IDENTIFICATION DIVISION.", "FIXED"),
        ("\tIDENTIFICATION DIVISION.", "FIXED"),
        ("      * COMMENT\n       01  A.", "FIXED"),
        ("MYTAG* COMMENT\nMYTAG      MOVE A TO B.\n      * COMMENT", "FIXED"),
        ("identification division.", "FREE"),
        ("*> comment\n01 a pic x.", "FREE"),
        ("    move a to b\n    perform c.", "FREE"),
        ("      MOVE A TO B.", "FREE"),
        ("       01 A PIC X(10) VALUE " + "'" + 60 * "X" + "'.", "VARIABLE"),
        ("       01 A PIC X(10) VALUE " + "'" + 60 * "X" + "'.\n      * COMMENT", "FIXED"),
    ],
)
def test_format_without_a_directive(text: str, form: str) -> None:
    """What the lines look like decides; in doubt it is fixed, the format of the standard."""
    assert format_of([line.expandtabs(8) for line in text.split("\n")]) == form


def test_decoding() -> None:
    """UTF-8, else Latin-1; a file of blanks that are EBCDIC's is EBCDIC."""
    assert decode("Ä".encode()) == "Ä"
    assert decode(b"\xc4 A") == "Ä A"
    assert decode("A  B".encode("utf-16")) == "A  B"
    assert decode("       MOVE A TO B.\n".encode("cp037")) == "       MOVE A TO B.\n"
    assert decode(b"A\x0cB\x1a") == "A B "
    assert decode(b"@@@@ an address @@@ in text") == "@@@@ an address @@@ in text"
    with pytest.raises(Unreadable, match="NUL"):
        decode(b"A\0B")


def test_continued_lines() -> None:
    """A literal goes on behind the quote, a word where it broke off; comments may stand between."""
    text = read_text(b"       X.  MOVE 'AB\n      * between\n      -    'CD' TO E\n      -       F.\n      -    G.\n")
    assert text.lines == [(1, "X.  MOVE 'ABCD' TO EF.G.")]
    assert list(text.marks) == [CODE, COMMENT, CODE, CODE, CODE]


# -- hostile ---------------------------------------------------------------------------------------------------------

PROCEDURE = b"       PROCEDURE DIVISION.\n"
HOSTILE = {
    "one line": PROCEDURE[:-1] + b" A. PERFORM A." * 70_000,
    "quotes": b"'\"" * 500_000,
    "unclosed pseudo-text": b"COPY A REPLACING ==B " * 50_000,
    "nested IF": PROCEDURE + b" IF A " * 100_000 + b" ELSE " * 100_000,
    "WHEN without EVALUATE": PROCEDURE + b" IF A " * 100_000 + b" WHEN " * 100_000,
    "EXEC without END-EXEC": PROCEDURE + b" EXEC SQL X " * 80_000,
    "open parentheses": PROCEDURE + b" PERFORM A ( " * 80_000,
    "programs in programs": b"PROGRAM-ID. A.\n" * 30_000 + b"END PROGRAM A.\n" * 30_000,
    "GO TO without end": PROCEDURE + b" GO A OF " * 100_000,
    "wide ranges": PROCEDURE
    + b"".join(b"       P%d.\n" % i for i in range(20_000))
    + b"           PERFORM P0 THRU P19999.\n" * 10_000,
    "continued for ever": b"       A.\n" + b'      - "A\n' * 100_000,
    "items redefine themselves": b"       DATA DIVISION.\n" + b"       1 X REDEFINES X VALUE 'AB'.\n" * 20_000,
    "moves in a ring": PROCEDURE
    + b"".join(b"           MOVE X%d TO X%d. CALL X%d.\n" % (i, i + 1, i) for i in range(10_000)),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text(case: str) -> None:
    """Time stays in proportion to the text: were it its square, this would not end before the tests' time limit."""
    facts = read_facts(HOSTILE[case])
    cobol_names.resolve(Folder((), ["a.cbl"], lambda path: None), {0: facts})
    assert facts.lines == HOSTILE[case].count(b"\n") + (not HOSTILE[case].endswith(b"\n"))
    read_imports(HOSTILE[case])


FRAGMENTS = """
    IDENTIFICATION DATA PROCEDURE DIVISION . PROGRAM-ID A B SECTION PERFORM THRU UNTIL IF ELSE END-IF EVALUATE WHEN
    OTHER END-EVALUATE END-PERFORM READ AT END NOT END-READ CALL 'X' MOVE TO GO COPY REPLACING == BY EXEC SQL CICS
    INCLUDE END-EXEC LINK PROGRAM ( ) 01 88 VALUE REDEFINES PIC 9.9 END NESTED FUNCTION ENTRY SEARCH DECLARATIVES " '
    *> >>D OF IN TIMES SIZE ERROR ON CANCEL ALTER SORT INPUT
"""
WORDS = st.sampled_from(FRAGMENTS.split())
SPACES = st.sampled_from([" ", "\n       ", "\n           ", "\n      -    ", "\n      * ", "\n", "  "])


@given(st.lists(st.tuples(SPACES, WORDS), max_size=80))
def test_any_text_is_read(parts: list[tuple[str, str]]) -> None:
    """No text makes the reader fail; each code line belongs to one definition, and ranges lie in each other."""
    source = "".join(space + word for space, word in parts)
    text = read_text(source.encode())
    facts = read_facts(source.encode())
    own: list[FileFacts | tuple] = [facts, *facts.definitions]
    assert sum(int(row.measures.sloc) for row in own) == text.marks.count(CODE)
    assert sum(int(row.measures.comments) for row in own) == text.marks.count(COMMENT)
    for row, found in enumerate(facts.definitions):
        assert found.parent < row
        around = facts.definitions[found.parent] if found.parent >= 0 else None
        first, last = (around.line, around.end_line) if around else (1, facts.lines)
        assert first <= found.line <= found.end_line <= last
        assert min(found.measures) >= 0
        assert found.measures.nl3_lines <= found.measures.sloc
    cobol_names.resolve(Folder((), ["a.cbl"], lambda path: None), {0: facts})


# -- resolving -------------------------------------------------------------------------------------------------------


def copies(paths: list[str], source: str, include_paths: tuple[str, ...] = ()) -> list[tuple[str, int]]:
    """What the first of `paths` copies, and how sure that is."""
    facts = {0: read_facts(source.encode())}
    found = cobol_names.resolve(Folder((), paths, lambda path: None, include_paths), facts).relations
    return [(paths[use.target.file], use.confidence) for use in found if use.kind == COPY]


def test_include_paths_are_searched_in_order() -> None:
    """As cobc does with -I: the own folder first, then each path with all endings."""
    paths = ["src/A.cbl", "one/B.cob", "two/B.CPY", "near/B.cpy"]
    assert copies(paths, "       COPY B.", ("two", "one")) == [("two/B.CPY", EXACT)]
    assert copies(paths, "       COPY B.", ("./one/", "two")) == [("one/B.cob", EXACT)]
    assert copies([*paths, "src/B.cob"], "       COPY B.", ("two",)) == [("src/B.cob", EXACT)]
    assert copies(paths, "       COPY B.", ("nowhere",)) != [("one/B.cob", EXACT)]
    assert copies(paths, '       COPY "../two/B".') == [("two/B.CPY", EXACT)]


def test_no_path_leads_out_of_the_folder() -> None:
    """However many folders up a copybook is said to be, only files of the folder are found."""
    assert copies(["A.cbl", "passwd"], '       COPY "../../../etc/passwd".') == [("passwd", RESOLVED)]
    assert copies(["A.cbl"], '       COPY "/etc/passwd".') == []
    assert copies(["A.cbl"], "       COPY A.") == []
