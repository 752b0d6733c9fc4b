"""Which lines a commit changed because it moved or renamed something: the rules of each language.

A line of the parent commit is *real* if the commit removed or changed it, it lies in another file than the thing that
was moved or renamed, it holds the old name as a word outside comments (and docstrings), and this is what the move or
rename itself changes:

Python      a file was moved: import statements that name the module, at the line on which the changed name stands, and
            dotted uses `a.b.c` of it, resolved by the file's own imports; where the module itself is called otherwise,
            also uses of the name that an import bound to it.
Java        a file was moved: import lines and other full names; the package line of the file itself is not another
            file. Where the class is called otherwise, every line that holds the old name, and where the new line
            at that place holds the new one.
C           a header (or a file that is included) was moved: include lines that lead to it.
JavaScript, TypeScript
            a file was moved: paths of `import`, `export ... from`, `import()`, `require()`, `jest.mock()` and the like,
            that lead to it.
all         a function or class was renamed: lines that hold the old name as a word, where the new line at that place
            holds the new name.

Where the new text at the place still holds the same mention (`from . import a, b`, of which only `b` moved), nothing
was changed for this name. A mention within a string that is no path of an import (`mock.patch("a.b.c")`, `__all__`)
counts by itself: code cannot tell that it must change. Lines that change in other files (build files, configuration,
documentation), if they hold the old name, are counted by themselves, too.

A commit does not count if another file takes the old name of what it moves (`a.py` to `a/core.py`, with a new
`a/__init__.py` that imports it all): users need not change, and this is not the plan. Nor where a file is added that is
called as the old one was: then git paired the wrong files.

Comments and strings are told apart by Pygments. Nothing here shares code with cbvtool.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pygments.lexer import Lexer
from pygments.lexers.c_cpp import CLexer
from pygments.lexers.javascript import JavascriptLexer, TypeScriptLexer
from pygments.lexers.jvm import JavaLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Token

from tests.judges.commits import SUFFIXES, Change, Commit, Hunk, alike, renamed

_LEXERS: dict[str, Lexer] = {
    "python": PythonLexer(stripnl=False, ensurenl=False),
    "java": JavaLexer(stripnl=False, ensurenl=False),
    "javascript": JavascriptLexer(stripnl=False, ensurenl=False),
    "typescript": TypeScriptLexer(stripnl=False, ensurenl=False),
    "c": CLexer(stripnl=False, ensurenl=False),
}
SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".json", ".vue", ".css")
ALIKE_PLACE = 0.5  # of a line, the old name replaced, and the one that is there now
Place = tuple[str, int]


class Real(NamedTuple):
    """The real lines of a commit.

    code     in code, by the rules of the language
    strings  where only a string holds the name
    texts    in files that are not of the language, comments of its files left out
    """

    code: dict[Place, str]
    strings: dict[Place, str]
    texts: dict[Place, str]


class Mention(NamedTuple):
    """Text in `line` that names what was moved, in a string or in code.

    still  finds it in a line that names the same as before
    """

    line: int
    still: re.Pattern[str]
    in_string: bool = False


class Tree(NamedTuple):
    """Files of the parent commit: all paths, and what reads one."""

    files: frozenset[str]
    text: Mapping[str, str]


def real_lines(code: str, commit: Commit, before: Tree, after: Tree) -> Real:
    """The real lines of a commit, from the files of its parent and its own."""
    real = Real({}, {}, {})
    own = {definition.file: definition.line for definition in commit.defined}
    pairs = {(definition.old, definition.new) for definition in commit.defined}
    if code == "java":
        pairs |= {(_stem(old), _stem(new)) for old, new in commit.moved.items() if _stem(old) != _stem(new)}
    for change in commit.changes:
        if not change.old:
            continue
        if not change.old.endswith(SUFFIXES[code]):
            _texts(commit, change, pairs, real.texts)
            continue
        text = before.text[change.old]
        rows = text.split("\n")
        removed = {hunk.old_start + at: hunk for hunk in change.hunks for at in range(len(hunk.removed))}
        for old, new in commit.moved.items():
            if old == change.old:
                continue
            for mention in _mentions(code, old, new, change.old, before, after):
                hunk = removed.get(mention.line)
                if hunk is None or any(mention.still.search(line) for line in hunk.added):
                    continue
                found = real.strings if mention.in_string else real.code
                found.setdefault((change.old, mention.line), rows[mention.line - 1])
        if pairs:
            _renamed_words(code, change, rows, pairs, commit, own, real)
    for place in real.code:
        real.strings.pop(place, None)
    return real


def _renamed_words(
    code: str,
    change: Change,
    rows: Sequence[str],
    pairs: Iterable[tuple[str, str]],
    commit: Commit,
    own: Mapping[str, int],
    real: Real,
) -> None:
    """Lines where one name gave way to the other, in files that hold none of the things renamed so."""
    text = "\n".join(rows)
    bare, quoted = blanked(code, change.old, text), blanked(code, change.old, text, strings=False)
    for old, new in pairs:
        if any(d.file == change.old and (d.old, d.new) == (old, new) for d in commit.defined):
            continue
        if any(_stem(path) == old for path in commit.moved if path == change.old):
            continue
        for hunk in change.hunks:
            for line in _gave_way(hunk, quoted, old, new):
                found = real.code if holds(bare[line - 1], old) else real.strings
                found.setdefault((change.old, line), rows[line - 1])


def _gave_way(hunk: Hunk, rows: Sequence[str], old: str, new: str) -> Iterator[int]:
    """Lines removed that hold `old` outside comments, and where the line that is there now holds `new`."""
    left = [line.strip() for line in hunk.added if holds(line, new)]
    wanted = {
        at: renamed(line, old, new).strip()
        for at, line in enumerate(hunk.removed)
        if left and holds(rows[hunk.old_start + at - 1], old)
    }
    pairs = ((alike(text, there), at, number) for at, text in wanted.items() for number, there in enumerate(left))
    taken: set[int] = set()
    for likeness, at, number in sorted(pairs, key=lambda pair: (-pair[0], pair[1], abs(pair[2] - pair[1]))):
        if likeness >= ALIKE_PLACE and at in wanted and number not in taken:
            taken.add(number)
            del wanted[at]
            yield hunk.old_start + at


def _texts(commit: Commit, change: Change, pairs: Iterable[tuple[str, str]], found: dict[Place, str]) -> None:
    words = {old for old, _ in pairs}
    for old, new in commit.moved.items():
        words |= {old, posixpath.splitext(old)[0].replace("/", ".")} | (
            {_stem(old)} if _stem(old) != _stem(new) else set()
        )
    for hunk in change.hunks:
        for at, line in enumerate(hunk.removed):
            if any(holds(line, word) and not any(holds(text, word) for text in hunk.added) for word in words):
                found[change.old, hunk.old_start + at] = line


def holds(text: str, word: str) -> bool:
    """Whether a text holds a name (dotted or slashed, too) as a whole word."""
    return re.search(rf"(?<![\w$]){re.escape(word)}(?![\w$])", text) is not None


def _same(word: str) -> re.Pattern[str]:
    """Finds the same name or path again: a dotted name goes on behind no dot, a path behind no slash."""
    return re.compile(rf"(?<![\w$./-]){re.escape(word)}(?![\w$/-])(?!\.\w)")


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


@lru_cache(200)
def blanked(code: str, path: str, text: str, strings: bool = True) -> tuple[str, ...]:
    """The lines of a text without comments and docstrings, and without `strings`: blanks stand in their place."""
    name = "typescript" if code == "javascript" and path.endswith(("ts", "tsx")) else code
    pieces = []
    for _, kind, value in _LEXERS[name].get_tokens_unprocessed(text):
        comment = kind in Token.Comment and kind not in Token.Comment.Preproc and kind not in Token.Comment.PreprocFile
        string = kind in Token.Literal.String and kind not in Token.Literal.String.Interpol
        if comment or kind in Token.Literal.String.Doc or (strings and string):
            value = re.sub(r"[^\n]", " ", value)
        pieces.append(value)
    return tuple("".join(pieces).split("\n"))


def _mentions(code: str, old: str, new: str, user: str, tree: Tree, after: Tree) -> Iterator[Mention]:
    """Where the file `user` names the file `old`, which becomes `new`."""
    if code == "python":
        return _python(old, new, user, tree, after)
    if code == "java":
        return _java(old, new, user, tree, after)
    if code == "c":
        return _include(old, user, tree)
    return _script(old, new, user, tree, after)


def gone(commit: Commit) -> frozenset[Place]:
    """Lines that a commit removed, where the new text does not hold the old name of anything that it moved or renamed.

    With the code around them, perhaps: that they had to change can be neither shown nor denied.
    """
    words = {_stem(old) for old in commit.moved} | {definition.old for definition in commit.defined}
    return frozenset(
        (change.old, hunk.old_start + at)
        for change in commit.changes
        for hunk in change.hunks
        for at, line in enumerate(hunk.removed)
        if any(holds(line, word) and not any(holds(text, word) for text in hunk.added) for word in words)
    )


def replaced(code: str, commit: Commit, after: frozenset[str]) -> bool:
    """Whether something else took the name of what was moved: then nothing needs to change, and the move is another."""
    added = {posixpath.basename(change.new) for change in commit.changes if not change.old}
    for old, new in commit.moved.items():
        if posixpath.basename(old) in added and posixpath.basename(new) != posixpath.basename(old):
            return True  # git took one new file for the old one, but another is it
        if code == "python":
            name = old.removesuffix(".py").removesuffix("/__init__")
            taken = {f"{name}.py", f"{name}/__init__.py"}
        elif code == "javascript":
            name = old.removesuffix(posixpath.splitext(old)[1]).removesuffix("/index")
            taken = {f"{name}{middle}{end}" for middle in ("", "/index") for end in SCRIPTS[:8]}
        else:
            taken = {old}
        if any(path in after for path in taken - {new}):
            return True
    return False


# -- Python ----------------------------------------------------------------------------------------------------------

_FROM = re.compile(
    r"(?:^|[;:])[ \t]*from[ \t]+(\.*[ \t]*[\w.]*)[ \t]+import\b[ \t]*(\([^)]*\)|(?:[^\n\\;]|\\\n)*)", re.M
)
_IMPORT = re.compile(r"(?:^|[;:])[ \t]*import[ \t]+((?:[^\n\\;]|\\\n)+)", re.M)
_NAMED = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")


def module_name(path: str, files: frozenset[str]) -> str:
    """The dotted name under which a Python file is imported: from the topmost package on."""
    parts = path.removesuffix(".py").split("/")
    start = len(parts) - 1
    while start > 0 and "/".join([*parts[:start], "__init__.py"]) in files:
        start -= 1
    return ".".join(parts[start:]).removesuffix(".__init__")


def _python(old: str, new: str, user: str, tree: Tree, after: Tree) -> Iterator[Mention]:
    name, parts = module_name(old, tree.files), module_name(user, tree.files).split(".")
    if module_name(new, after.files) == name:
        return
    package = parts if user.endswith("/__init__.py") else parts[:-1]
    last = name.rpartition(".")[2]  # of a package: its folder
    last_changed = last != module_name(new, after.files).rpartition(".")[2]
    code = "\n".join(blanked("python", user, tree.text[user]))
    bound: dict[str, str] = {}  # name in the file -> what it stands for

    def line_of(offset: int) -> int:
        return code.count("\n", 0, offset) + 1

    statements: list[tuple[int, int]] = []
    for match in _FROM.finditer(code):
        statements.append(match.span())
        written = match[1].replace(" ", "")
        dots = len(written) - len(written.lstrip("."))
        base = written.lstrip(".")
        if dots:
            base = ".".join([*package[: len(package) - dots + 1], *([base] if base else [])])
        if base == name:
            again = re.compile(rf"\bfrom\s+{re.escape(written)}\s+import\b")
            yield Mention(line_of(match.start(1)), again)
        for named in _NAMED.finditer(match[2]):
            whole = f"{base}.{named[1]}"
            bound[named[2] or named[1]] = whole
            if whole == name:
                at = line_of(match.start(2) + named.start())
                begun = rf"\bfrom\s+{re.escape(written)}\s+import\b.*" if at == line_of(match.start(1)) else ""
                yield Mention(at, re.compile(rf"{begun}(?<![\w.]){named[1]}(?![\w.])"))
    for match in _IMPORT.finditer(code):
        statements.append(match.span())
        for named in _NAMED.finditer(match[1]):
            bound[named[2] or named[1].partition(".")[0]] = named[1] if named[2] else named[1].partition(".")[0]
            implicit = f"{'.'.join(package)}.{named[1]}"  # Python 2 looks beside the file first
            if named[1] == name or (implicit == name and named[1] not in tree.files):
                yield Mention(line_of(match.start(1) + named.start()), _same(named[1]))
    for offset, words in _chains(code, statements):
        for length in range(1, len(words) + 1):
            said = ".".join([bound.get(words[0], ""), *words[1:length]])
            if said == name and (length > 1 or (last_changed and words[0] == last)):
                yield Mention(line_of(offset), re.compile(rf"(?<![\w.]){re.escape('.'.join(words[:length]))}(?!\w)"))
    bare = code.split("\n")
    for number, line in enumerate(blanked("python", user, tree.text[user], strings=False), start=1):
        if "." in name and holds(line, name) and not holds(bare[number - 1], name):
            yield Mention(number, re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)"), in_string=True)


def _chains(code: str, statements: Sequence[tuple[int, int]]) -> Iterator[tuple[int, list[str]]]:
    """Where `a.b.c` stands in code, outside import statements, and its words."""
    for chain in re.finditer(r"(?<![\w.])[A-Za-z_]\w*(?:\s*\.\s*\w+)*", code):
        if not any(start <= chain.start() < end for start, end in statements):
            yield chain.start(), re.split(r"\s*\.\s*", chain[0])


# -- Java ------------------------------------------------------------------------------------------------------------

_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.M)


def _java(old: str, new: str, user: str, tree: Tree, after: Tree) -> Iterator[Mention]:
    before, now = (_PACKAGE.search(text) for text in (tree.text[old], after.text[new]))
    name = f"{before[1] if before else ''}.{_stem(old)}".lstrip(".")
    if name == f"{now[1] if now else ''}.{_stem(new)}".lstrip("."):
        return
    whole = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    for strings in (True, False):  # what a string holds comes last: a line in code stays one
        for number, line in enumerate(blanked("java", user, tree.text[user], strings=strings), start=1):
            if whole.search(line):
                yield Mention(number, whole, in_string=not strings)


# -- C ---------------------------------------------------------------------------------------------------------------

_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def _include(old: str, user: str, tree: Tree) -> Iterator[Mention]:
    for number, line in enumerate(tree.text[user].split("\n"), start=1):
        match = _INCLUDE.match(line)
        if match is None or posixpath.basename(match[1]) != posixpath.basename(old):
            continue
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(user), match[1]))
        path = posixpath.normpath(match[1]).removeprefix("../")
        while path.startswith("../"):
            path = path.removeprefix("../")
        if beside == old or (beside not in tree.files and f"/{old}".endswith(f"/{path}")):
            yield Mention(number, _same(match[1]))


# -- JavaScript and TypeScript ---------------------------------------------------------------------------------------

_SPECIFIER = re.compile(
    r"""(?:\bfrom\s*|\bimport\s*|\b(?:import|require(?:\.\w+)?|(?:jest|vi)\.\w+|proxyquire|rewiremock\S*)\s*\(\s*)(['"`])([^'"`\n]+)\1"""
)


def _script(old: str, new: str, user: str, tree: Tree, after: Tree) -> Iterator[Mention]:
    code = "\n".join(blanked("javascript", user, tree.text[user], strings=False))
    for match in _SPECIFIER.finditer(code):
        if script_of(match[2], user, tree.files) == old and script_of(match[2], user, after.files) != new:
            yield Mention(code.count("\n", 0, match.start(2)) + 1, _same(match[2]))


def script_of(specifier: str, user: str, files: frozenset[str]) -> str:
    """The file that a path in an import leads to; empty where it leads outside."""
    if specifier.startswith("."):
        tops = [posixpath.normpath(posixpath.join(posixpath.dirname(user), specifier))]
    elif specifier.startswith(("@/", "~/")):
        path = specifier[2:]
        tops = [path, f"src/{path}"]
    elif "/" in specifier:
        tops = [specifier, f"src/{specifier}"]
    else:
        return ""
    for top in tops:
        stem, suffix = posixpath.splitext(top)
        candidates = [top, *(top + end for end in SCRIPTS)]
        candidates += [stem + end for end in SCRIPTS if suffix in (".js", ".mjs", ".cjs", ".jsx")]
        candidates += [f"{top}/index{end}" for end in SCRIPTS]
        for candidate in candidates:
            if candidate.removeprefix("./") in files:
                return candidate.removeprefix("./")
    return ""
