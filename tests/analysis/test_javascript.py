"""Readers and module resolution of JavaScript and TypeScript, beside the cases of tests/corpus."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from cbvtool.analysis.facts import Import
from cbvtool.analysis.languages.javascript import reader as javascript
from cbvtool.analysis.languages.javascript import typescript
from cbvtool.analysis.languages.javascript.imports import statement_at
from cbvtool.analysis.languages.javascript.modules import Modules, _glob, parse_json
from cbvtool.analysis.resolution import Folder
from cbvtool.regular_file import Unreadable

CORPUS = Path(__file__).parents[1] / "corpus"
READERS = {
    ".js": javascript,
    ".mjs": javascript,
    ".cjs": javascript,
    ".jsx": javascript,
    ".ts": typescript,
    ".tsx": typescript,
}
# Code stands in texts of several lines there, or in regular expressions: a search without a parse takes it for code.
ONLY_WITH_A_PARSE = ("texts_and_comments",)
FILES = sorted(
    path
    for language in ("javascript", "typescript")
    for path in (CORPUS / language).glob("*/input/**/*")
    if path.suffix in READERS and not set(ONLY_WITH_A_PARSE) & set(path.parts)
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(CORPUS).as_posix())
def test_first_stage_finds_the_same_imports(path: Path) -> None:
    """Two stages; the first finds the imports of the second, with their names, without a parse."""
    data, reader = path.read_bytes(), READERS[path.suffix]
    quick, full = reader.read_imports(data, path.name), reader.read_facts(data, path.name)
    assert [(row.module, row.line, row.names, row.aliases, row.form) for row in quick.imports] == [
        (row.module, row.line, row.names, row.aliases, row.form) for row in full.imports
    ]
    assert quick.lines == full.lines


@pytest.mark.parametrize(
    ("text", "names", "aliases"),
    [
        ("import a, {b as c, type D} from 'x'", ("default", "b", "D"), ("a", "c", "D")),
        ("import d, * as n from 'x'", ("default", "*"), ("d", "n")),
        ("import * as n from 'x'", None, ("n",)),
        ("import type from 'x'", ("default",), ("type",)),
        ("import type, {a} from 'x'", ("default", "a"), ("type", "a")),
        ("import {type as as, type as} from 'x'", ("as", "as"), ("as", "as")),
        ("import from from 'x'", ("default",), ("from",)),
        ("import { 'a-b' as c } from 'x'", ("a-b",), ("c",)),
        ("import{a}from'x'", ("a",), ("a",)),
        ("import {/* } from 'y' */ a, // d\n b } from 'x' with {type: 'json'}", ("a", "b"), ("a", "b")),
        ("export * from 'x'", ("*",), ("",)),
        ("export {a as default} from 'x'", ("a",), ("default",)),
        ("import 'x'", None, ()),
    ],
)
def test_statement(text: str, names: tuple[str, ...] | None, aliases: tuple[str, ...]) -> None:
    """ECMAScript 16.2: which names an import takes, and what it calls them."""
    read = statement_at(text.encode(), 0)
    assert read is not None
    assert (read.module, read.names, read.aliases) == ("x", names, aliases)


@pytest.mark.parametrize(
    "text", ["export const a = 'x'", "import('x')", "import.meta.url", "export type T = 'x'", "import A = B.C"]
)
def test_what_names_no_module(text: str) -> None:
    """Exports of declarations, calls and names are no imports."""
    assert statement_at(text.encode(), 0) is None


def test_json_with_comments() -> None:
    """A tsconfig as TypeScript takes it; what only looks like a comment is a text."""
    assert parse_json(b'\xef\xbb\xbf{"a": "//x", /* , */ "b": ["/*", ",]",], // end\n}') == {
        "a": "//x",
        "b": ["/*", ",]"],
    }
    assert parse_json(b"{") is None
    assert parse_json(b"[" * 200_000) is None


@pytest.mark.parametrize("text", [b'"' + b'\\"' * 100_000, b"/*" * 200_000, b", " * 200_000, b'"\\' * 100_000])
def test_json_that_took_for_ever(text: bytes) -> None:
    """Issue "Trust" item 3: the time is linear in what is not closed; the square of it is minutes."""
    started = time.process_time()
    assert parse_json(text) is None
    assert time.process_time() - started < 30


def test_workspaces_that_took_for_ever() -> None:
    """Issue "Trust" item 3: patterns of a package.json are matched in linear time."""
    hostile = _glob("*a*a*a*a*a*a*a*a*a*a*a*b")
    assert hostile is not None
    assert not hostile.search("a" * 190)
    assert hostile.search("a" * 190 + "b")
    ordinary = _glob("./packages/**/lib-*/")
    assert ordinary is not None
    assert ordinary.search("packages/a/b/lib-x")
    assert not ordinary.search("packages/a/b/lib-x/y")
    assert _glob("a" * 2_000) is None


def test_settings_that_make_no_sense() -> None:
    """The repository is untrusted: any JSON at any place is looked at, none of it believed."""
    junk = b"""{
        "name": 1, "main": {}, "exports": {".": [1, null, {"import": 3}]}, "imports": [], "workspaces": {"packages": 5},
        "extends": [1, "../../../etc/passwd"], "references": [3],
        "compilerOptions": {"paths": [], "baseUrl": 1, "rootDirs": 7}
    }"""
    paths = ["package.json", "tsconfig.json", "lerna.json", "a.ts"]
    modules = Modules(Folder(("top",), paths, lambda path: junk))
    for name in ("b", "./b", "#b", "/b", "../../b", "", "b/", "@", "@/", "./\0", "a" * 10_000, "?", "!"):
        assert modules.find(3, Import(name, 0, None, 1)).file < 0


@pytest.mark.parametrize(
    "source",
    [
        b"f(require('a')," * 5_000,
        b"\n" * 1_000 + b"import " * 20_000,
        b"import {a,\n" * 15_000,
        b"x=>" * 20_000,
        b"function F(){}\n" + b"F.prototype={a(){}};\n" * 3_000,
        b"function f(a: string): void;\n" * 3_000,
        b"export {a as b,\n c} " * 5_000,
        b"a." * 60_000,
        b"\n" * 300_000 + b"export",
        b"let a: B<" * 15_000,
    ],
    ids=lambda source: source[-12:].decode().strip(),
)
@pytest.mark.timeout(120)
def test_hostile_files_end(source: bytes) -> None:
    """Whatever a file holds, it is read or refused, in no time with the square of its size."""
    for reader, name in ((javascript, "a.js"), (typescript, "a.ts")):
        reader.read_imports(source, name)
        with contextlib.suppress(Unreadable):
            reader.read_facts(source, name)
