"""One sentence naming the thing and the reason, no traceback; what can be read is read."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cbvtool.analysis import analyze
from cbvtool.analysis.build import build_graph
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import LANGUAGES, Language
from cbvtool.analysis.pool import ReadTask, read_all
from cbvtool.analysis.read import SOURCE_LIMIT
from cbvtool.analysis.walk import FoundFile
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.regular_file import Unreadable, read_bytes

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def skipped(graph: Graph) -> dict[str, str]:
    return {skip.path: skip.reason for skip in graph.report.skipped}


def edges(graph: Graph) -> set[tuple[str, str]]:
    pairs = zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True)
    return {(graph.ids[source], graph.ids[target]) for source, target in pairs}


def sentence(error: pytest.ExceptionInfo[InputError]) -> str:
    text = str(error.value)
    assert text.endswith(".")
    assert "Traceback" not in text
    assert "Errno" not in text
    return text


def test_missing_path(tmp_path: Path) -> None:
    """A missing path."""
    with pytest.raises(InputError) as error:
        analyze(tmp_path / "gone")
    assert "no folder" in sentence(error)
    assert "gone" in str(error.value)


def test_file_instead_of_folder(tmp_path: Path) -> None:
    """A file instead of a folder."""
    write(tmp_path, {"a.py": ""})
    with pytest.raises(InputError) as error:
        analyze(tmp_path / "a.py")
    assert "a.py' is a file" in sentence(error)


def test_empty_folder(tmp_path: Path) -> None:
    """An empty folder, and one that holds only empty folders."""
    with pytest.raises(InputError) as error:
        analyze(tmp_path)
    assert f"{str(tmp_path)!r} holds no files" in sentence(error)
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(InputError):
        analyze(tmp_path)


def test_folder_of_left_out_things(tmp_path: Path) -> None:
    """A folder where nothing is left says why."""
    write(tmp_path, {".gitignore": "*\n", "a.py": "", ".venv/b.py": ""})
    with pytest.raises(InputError) as error:
        analyze(tmp_path)
    assert ".gitignore" in sentence(error)
    assert ".venv" in str(error.value)


def test_folder_without_sources(tmp_path: Path) -> None:
    """Files but no source make a graph of leaves and one sentence that says so."""
    graph = analyze(write(tmp_path, {"README.md": "hello", "data/table.csv": "1,2\n"}))
    assert set(graph.ids) == {"", "README.md", "data", "data/table.csv"}
    assert graph.values["bytes"][graph.key_of["README.md"]] == 5
    assert len(graph.edges) == 0
    assert graph.report.files == 0
    assert any("Nothing in" in note and tmp_path.name in note for note in graph.report.notes)


def test_path_that_is_none() -> None:
    """A path that no file can have."""
    with pytest.raises(InputError) as error:
        analyze(Path("a\0b"))
    assert "cannot be opened" in sentence(error)


@posix
def test_symlink_loops_and_ways_out(tmp_path: Path) -> None:
    """Symbolic links are neither followed into a loop nor out of the root; they are listed."""
    outside = write(tmp_path / "outside", {"secret.py": "x = 1\n"})
    root = write(tmp_path / "root", {"a.py": "import b\nimport secret\nimport linked\n", "deep/b.py": ""})
    (root / "loop").symlink_to(root)
    (root / "deep" / "up").symlink_to("..")
    (root / "itself").symlink_to("itself")
    (root / "away").symlink_to(outside)
    (root / "secret.py").symlink_to(outside / "secret.py")
    (root / "linked.py").symlink_to(root / "a.py")
    graph = analyze(root)
    assert {node for node in graph.ids if not node.startswith("external")} == {"", "a.py", "deep", "deep/b.py"}
    assert set(skipped(graph)) == {"loop", "deep/up", "itself", "away", "secret.py", "linked.py"}
    assert all("symbolic link" in reason for reason in skipped(graph).values())


@posix
def test_root_is_a_symlink(tmp_path: Path) -> None:
    """A link to a folder is that folder; one to itself is an error in one sentence."""
    write(tmp_path / "real", {"a.py": ""})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert analyze(tmp_path / "link").name == "real"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InputError) as error:
        analyze(tmp_path / "loop")
    assert "loop" in sentence(error)


def test_huge_source_file(tmp_path: Path) -> None:
    """A 200 MB source file is skipped with its reason, and is not read into memory."""
    write(tmp_path, {"a.py": "import huge\n"})
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(200_000_000)
    graph = analyze(tmp_path)
    assert skipped(graph) == {"huge.py": f"is larger than {SOURCE_LIMIT / 1e6:g} MB"}
    assert graph.values["bytes"][graph.key_of["huge.py"]] == 200_000_000
    assert edges(graph) == {("a.py", "huge.py")}


def test_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """The limit holds for what is read, not only for what was listed."""
    write(tmp_path, {"a.py": b"#" * 101})
    with pytest.raises(Unreadable, match="larger than"):
        read_bytes(str(tmp_path / "a.py"), limit=100)
    assert len(read_bytes(str(tmp_path / "a.py"), limit=101)) == 101


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00", "is binary (holds NUL bytes)"),
        (bytes(range(1, 256)) * 50, "cannot be decoded as utf-8"),
        (b"(" * 100_000, "cannot be parsed as Python"),
    ],
)
def test_garbage_named_py(tmp_path: Path, content: bytes, reason: str) -> None:
    """Binary garbage named .py is skipped with its reason, and stays in the picture as a leaf."""
    graph = analyze(write(tmp_path, {"garbage.py": content, "good.py": "import garbage\n"}))
    assert skipped(graph) == {"garbage.py": reason}
    assert edges(graph) == {("good.py", "garbage.py")}
    assert graph.report.files == 1


def test_broken_text_that_can_be_read(tmp_path: Path) -> None:
    """A file with syntax errors is counted and listed, and is not skipped."""
    graph = analyze(write(tmp_path, {"a.py": "import b\ndef (:\n", "b.py": ""}))
    assert graph.report.parse_errors == ("a.py",)
    assert graph.report.skipped == ()
    assert edges(graph) == {("a.py", "b.py")}


def test_latin1_and_utf16(tmp_path: Path) -> None:
    """Latin-1 and UTF-16 files are read where they say what they are, else skipped with the reason."""
    graph = analyze(
        write(
            tmp_path,
            {
                "declared.py": "# coding: latin-1\nimport good # é\n".encode("latin-1"),
                "undeclared.py": "import good # é\n".encode("latin-1"),
                "marked.py": "import good # é\n".encode("utf-16"),
                "unmarked.py": "import good # é\n".encode("utf-16-le"),
                "good.py": "",
            },
        )
    )
    assert edges(graph) == {("declared.py", "good.py"), ("marked.py", "good.py")}
    assert set(skipped(graph)) == {"undeclared.py", "unmarked.py"}


NASTY = [
    "a b",
    "it's",
    'say "hi"',
    "two\nlines",
    "tab\there",
    "naïve",
    "日本",
    "a'b\"c\\d",
    "#1",
    "x::y",
    "-rf",
    "a%20b",
]


@posix
def test_names_that_hurt(tmp_path: Path) -> None:
    """Spaces, quotes, newlines and non-ASCII characters in the path of the folder and in names below it."""
    root = tmp_path / 'ro ot "x"\nñ'
    for name in NASTY:
        write(root, {f"{name}/{name}.py": "from . import other\n", f"{name}/other.py": "class C: pass\n"})
    graph = analyze(root)
    assert graph.name == 'ro ot "x"\nñ'
    assert edges(graph) == {(f"{name}/{name}.py", f"{name}/other.py") for name in NASTY}
    assert graph.key_of[f"{NASTY[3]}/other.py::C"]


@posix
def test_names_that_are_no_text(tmp_path: Path) -> None:
    """File names that are no valid Unicode get ids that are, each its own."""
    try:
        for byte in (b"\xe9", b"\xff"):
            folder = os.path.join(os.fsencode(tmp_path), b"f" + byte)
            os.mkdir(folder)
            for name, text in ((b"x" + byte + b".py", b"import y\n"), (b"y.py", b"def f(): pass\n")):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(text)
    except OSError:
        pytest.skip("this file system takes no such names")
    graph = analyze(tmp_path)
    json.dumps(graph.ids, ensure_ascii=False).encode("utf-8")
    assert len(set(graph.ids)) == len(graph.ids) == 1 + 2 * 4
    assert edges(graph) == {("f\ufffd/x\ufffd.py", "f\ufffd/y.py"), ("f\ufffd#2/x\ufffd.py", "f\ufffd#2/y.py")}


def test_ids_that_look_like_others(tmp_path: Path) -> None:
    """Design 3: ids stay unique where a file is named like a function of another file."""
    if os.name == "nt":
        pytest.skip("no colon in file names there")
    graph = analyze(write(tmp_path, {"a.py": "def f(): pass\ndef f(): pass\n", "a.py::f": "", "a.py::f#2": ""}))
    assert len(set(graph.ids)) == len(graph.ids) == 6
    files = {graph.ids[key] for key in range(len(graph)) if graph.kind(key) == "file"}
    assert files == {"a.py", "a.py::f", "a.py::f#2"}


@posix
def test_special_files(tmp_path: Path) -> None:
    """A pipe or socket named .py is skipped; nobody waits for a writer."""
    write(tmp_path, {"a.py": ""})
    os.mkfifo(tmp_path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s.py"))
        graph = analyze(tmp_path)
    assert skipped(graph) == {"pipe.py": "is not a regular file", "s.py": "is not a regular file"}


@posix
def test_pipe_put_in_the_place_of_a_listed_file(tmp_path: Path) -> None:
    """What changes between listing and reading cannot hang the analysis, nor lead it out by a link."""
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(Unreadable, match="not a regular file"):
        read_bytes(str(tmp_path / "pipe.py"), SOURCE_LIMIT)
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    with pytest.raises(Unreadable, match="cannot be read"):
        read_bytes(str(tmp_path / "link.py"), SOURCE_LIMIT)


@contextmanager
def without_privileges() -> Iterator[None]:
    """As a user who is not root: root may read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter. pytest's own are closed to others, anew by each session that begins."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@posix
def test_what_may_not_be_read(open_folder: Path) -> None:
    """Files and folders without permission are skipped with the reason; a root without is an error."""
    root = write(open_folder / "root", {"a.py": "import b\n", "b.py": "", "closed/c.py": ""})
    analyze(root, jobs=1)  # what it imports may be out of reach below
    (root / "b.py").chmod(0)
    (root / "closed").chmod(0)
    try:
        with without_privileges():
            graph = analyze(root, jobs=1)
            assert skipped(graph) == {
                "b.py": "cannot be read: Permission denied",
                "closed": "cannot be listed: Permission denied",
            }
            assert edges(graph) == {("a.py", "b.py")}
            with pytest.raises(InputError) as error:
                analyze(root / "closed")
            assert "Permission denied" in sentence(error)
    finally:
        (root / "closed").chmod(0o755)


def test_deep_nesting_does_not_overflow(tmp_path: Path) -> None:
    """A 100,000-fold nested expression does not overflow the stack."""
    count = 100_000
    graph = analyze(
        write(
            tmp_path,
            {
                "parentheses.py": "import b\nx = " + "(" * count + "1" + ")" * count + "\n",
                "calls.py": "import b\nx = f" + "(1)" * count + "\n",
                "lambdas.py": "import b\nx = " + "lambda: " * count + "1\n",
                "minus.py": "import b\nx = " + "-" * count + "1\n",
                "long.py": "import b\nx = " + " and ".join(["a"] * count) + "\n",
                "b.py": "",
            },
        )
    )
    names = {"parentheses.py", "calls.py", "lambdas.py", "minus.py", "long.py"}
    assert edges(graph) == {(name, "b.py") for name in names}
    assert graph.report.skipped == ()
    assert graph.report.parse_errors == ()
    assert graph.values["complexity"][graph.key_of["long.py"]] >= 1000  # what is nested deeper counts no more


def test_deep_definitions(tmp_path: Path) -> None:
    """Definitions nested deeper than any that Python takes."""
    depth = 400
    source = "".join(" " * i + f"def f{i}():\n" for i in range(depth)) + " " * depth + "pass\n"
    graph = analyze(write(tmp_path, {"deep.py": source}))
    assert graph.tree.depth.max() == depth + 1


def test_deep_folders() -> None:
    """Folders nested deeper than Python's recursion limit."""
    folder = "/".join(["d"] * 2 * sys.getrecursionlimit())
    files = [FoundFile(f"{folder}/a.py", f"{folder}/a.py", 0)]
    graph = build_graph("root", files, {}, [], [], [])
    assert graph.tree.depth.max() == 2 * sys.getrecursionlimit() + 1


# Of a stack of 1 MB, a fifth of the 100,000 takes as much as all of them would of half the usual 8 MB, in a fifth of
# the time; `test_deep_nesting_does_not_overflow` and tests/attack/source_files.py nest deeper, with the usual stack.
DEEP = 20_000
SMALL_STACK = 1 << 20
# What may be nested, in the words of each language that has other ones than C's; `%s` is the nested expression.
STATEMENTS = {
    "Python": "x = %s\n",
    "Ruby": "x = %s\n",
    "Go": "package p\nfunc f() { x := %s }\n",
    "PHP": "<?php $x = %s;\n",
    "Java": "class A { int x = %s; }\n",
    "C#": "class A { int x = %s; }\n",
    "Kotlin": "val x = %s\n",
    "Scala": "object A { val x = %s }\n",
    "Swift": "let x = %s\n",
    "Rust": "fn f() { let x = %s; }\n",
    "JavaScript": "let x = %s;\n",
    "TypeScript": "let x = %s;\n",
    "COBOL": "       PROCEDURE DIVISION.\n           COMPUTE X = %s.\n",
}
NESTED = {
    "parentheses": "(" * DEEP + "1" + ")" * DEEP,
    "on lines of their own": "(\n" * DEEP + "1\n" + ")\n" * DEEP,
    "brackets": "[\n" * DEEP + "1\n" + "]\n" * DEEP,
    "braces": "{\n" * DEEP + "}\n" * DEEP,
    "never closed": "(\n" * DEEP,
    "calls": "f(\n" * DEEP + "1\n" + ")\n" * DEEP,
    "signs": "-\n" * DEEP + "1",
    "chain": "a" + "\n.b()" * DEEP,
    "sum": "1" + "\n+ 1" * DEEP,
    # No expression, and slow to parse; deeper ones in tests/attack/source_files.py.
    "conditions": "if (a) {\n" * (DEEP // 5) + "}\n" * (DEEP // 5),
}


# Goes as deep into C's stack as the brackets that it reads.
RECURSIVE = """
import json, sys
from cbvtool.analysis.facts import FileFacts

def read_facts(data, name=""):
    sys.setrecursionlimit(10**6)
    json.loads(data)
    return FileFacts(1)
"""


@pytest.fixture
def small_stack() -> Iterator[None]:
    """Processes that the test starts have a small stack, whatever the limit of whoever runs the test."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (SMALL_STACK, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_STACK, limits)


def test_a_reader_that_nests_as_deep_as_its_file_is_seen(
    tmp_path: Path, small_stack: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test below can fail: what takes fifty bytes of the stack and more for each level ends its process."""
    (tmp_path / "of_tests").mkdir()
    (tmp_path / "of_tests" / "recursive.py").write_text(RECURSIVE)
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "a.py"
    path.write_text("[" * DEEP + "]" * DEEP)
    task = ReadTask(str(path), "of_tests.recursive", path.stat().st_size)
    [(_, outcome)] = read_all([task], jobs=2)
    assert isinstance(outcome.facts, str)
    assert not outcome.facts.startswith(("cannot be parsed", "is minified", "makes its reader fail"))


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_deep_nesting_in_every_language(tmp_path: Path, language: Language, small_stack: None) -> None:
    """A deeply nested expression overflows no stack; a worker that dies of one would."""
    statement = STATEMENTS.get(language.name, "int x = %s;\n")
    tasks = []
    for name, nested in NESTED.items():
        path = tmp_path / f"{name}{language.suffixes[0]}"
        path.write_text(statement % nested)
        tasks += [ReadTask(str(path), language.reader, path.stat().st_size, shallow) for shallow in (False, True)]
    outcomes = dict(read_all(tasks, jobs=2))
    for row, task in enumerate(tasks):
        found = outcomes[row].facts
        assert isinstance(found, FileFacts) or found.startswith(("cannot be parsed", "is minified")), (task.path, found)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_garbage_in_every_language(tmp_path: Path, language: Language) -> None:
    """Over-large, binary, undecodable, empty, or cut off: told or read, never fatal."""
    suffix = language.suffixes[0]
    sources = [path for path in (Path(__file__).parents[1] / "corpus").rglob(f"*{suffix}") if path.is_file()][:5]
    texts = [b"", b"\n", b"\0", b"\xff\xfeA\0", b"\xef\xbb\xbf", b"\r\r\n", bytes(range(1, 256)) * 50, os.urandom(9999)]
    for path in sources:
        text = path.read_bytes()
        texts += [text[: len(text) * i // 7] for i in range(7)] + [text.replace(b"\n", b"\r\n"), text[::-1]]
    tasks = []
    for i, text in enumerate(texts):
        path = tmp_path / f"f{i}{suffix}"
        path.write_bytes(text)
        tasks += [ReadTask(str(path), language.reader, len(text), shallow) for shallow in (False, True)]
    large = tmp_path / f"large{suffix}"
    with large.open("wb") as file:
        file.truncate(SOURCE_LIMIT + 1)
    tasks.append(ReadTask(str(large), language.reader, SOURCE_LIMIT + 1))
    outcomes = dict(read_all(tasks, jobs=1))
    assert outcomes[len(tasks) - 1].facts == f"is larger than {SOURCE_LIMIT / 1e6:g} MB"
    reasons = {found.facts for found in outcomes.values() if isinstance(found.facts, str)}
    assert not [reason for reason in reasons if reason.startswith("makes its reader fail")]
    assert isinstance(outcomes[0].facts, FileFacts)


def test_minified(tmp_path: Path) -> None:
    """Code without line breaks is nobody's; long lines among others, and data, are read."""
    packed = "function f(a){return a+1};" * 400
    graph = analyze(
        write(
            tmp_path,
            {
                "packed.js": packed,
                "named.min.js": packed,
                "long.js": f"{packed[:2000]}\n" + "f();\n" * 400,
                "data.py": "x = '" + "a" * 20_000 + "'\n",
                "short.js": packed[:1000],
            },
        )
    )
    assert skipped(graph) == {"packed.js": "is minified", "named.min.js": "is minified"}
