"""Import and export statements of JavaScript and TypeScript, read from their text.

`statement_at` and `called_at` read one import at a known position; `imports_of` finds all without a parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cbvtool.analysis.facts import ALWAYS, DEFERRED, TYPE_CHECKING, FileFacts, Import

EXPORTED = "export="  # name for the value that a CommonJS module exports as a whole

_BLANKS = rb"(?:\s|/\*(?:[^*]|\*(?!/)){0,400}\*/|//[^\n]{0,400}\n)*"
_TOKEN = re.compile(_BLANKS + rb"([\w$\x80-\xff]+|[{},*=(]|'[^'\\\n]*'|\"[^\"\\\n]*\")")
_MODIFIERS = frozenset({"type", "typeof", "defer", "source"})  # typeof is Flow's


CALLED = re.compile(
    rb"(?<![\w$])(?:(?<=\.\.\.)|(?<!\.))(require|import)"
    + _BLANKS
    + rb"\("
    + _BLANKS
    + rb"(?:'([^'\\\n]+)'|\"([^\"\\\n]+)\"|`([^`\\$\n]+)`)"
    + _BLANKS
    + rb"(?:,[^()]{0,999})?(\))?(?:\s*\)?\s*\.\s*([A-Za-z_$][\w$]*)(?![\w$]|\s*\())?"
)
_BEFORE_VALUE = re.compile(rb"=\s*\(?\s*(?:await\s*)?$")
_TARGET = re.compile(rb"([\w$.]+)\s*$")
_TARGET_REACH = 400  # bytes before a `require` that are searched for names bound to its result


class _Statement(NamedTuple):
    """Content of one import or export statement; `module` is empty if it exports names of the file itself."""

    module: str
    names: tuple[str, ...] | None = None
    aliases: tuple[str, ...] = ()
    form: str = "import"
    types_only: bool = False


# The most frequent form, which needs no tokens: names without aliases.
_PLAIN = re.compile(rb"import\s+\{\s*((?:[\w$]+\s*(?:,\s*|(?=\})))*)\}\s*from\s*(?=['\"])(?:['\"])([^'\"\\\n]*)")


def statement_at(source: bytes, start: int) -> _Statement | None:
    """Read the import, the `export ... from`, the `export {}` or the `import x = require()` that begins at `start`.

    None = another kind of statement, such as the export of a declaration.
    """
    plain = _PLAIN.match(source, start)
    if plain is not None:
        listed, module = plain.groups()
        names = tuple(listed.decode().replace(",", " ").split())
        return _Statement(module.decode("utf-8", "replace"), names or None, names)
    tokens = _tokens(source, start)
    form = next(tokens, "")
    word = next(tokens, "")
    found: list[str] = []
    aliases: list[str] = []
    modifiers = 0
    word, only = _without_modifier(word, tokens)
    while word and word[0] not in "'\"":
        if word == "import" and form == "export":
            form, word = "import", next(tokens, "")  # export import x = require()
            continue
        if word == "{":
            for name, alias, typed in _specifiers(tokens):
                found.append(name)
                aliases.append(alias)
                modifiers += typed
            word = next(tokens, "")
            if word != "from":
                return _Statement("", tuple(found), tuple(aliases), form, only) if form == "export" else None
        elif word == "*":
            word = next(tokens, "")
            found.append("*")
            aliases.append("")
            if word == "as":
                aliases[-1] = unquoted(next(tokens, ""))
                word = next(tokens, "")
        elif word == "=":
            module = _required(tokens)
            return _Statement(module, None, tuple(aliases), "require", only) if module and found else None
        elif word == ",":
            word = next(tokens, "")
        elif word == "from":
            word = next(tokens, "")
            if word in ("=", ",", "from"):  # a default import called `from`
                found.append("default")
                aliases.append("from")
        elif form == "import" and not found and (word[0].isalpha() or word[0] in "_$" or not word.isascii()):
            found.append("default")
            aliases.append(word)
            word = next(tokens, "")
        else:
            return None
    if len(word) < 2:
        return None
    only = only or 0 < modifiers == len(found)
    if found == ["*"] and aliases[0]:
        return _Statement(unquoted(word), None, tuple(aliases), form, only)
    return _Statement(unquoted(word), tuple(found) if found else None, tuple(aliases), form, only)


def _tokens(source: bytes, start: int) -> Iterator[str]:
    """Words, strings and punctuation from `start` on, up to the first text that no import contains."""
    while (found := _TOKEN.match(source, start)) is not None:
        yield found[1].decode("utf-8", "replace")
        start = found.end()


def _without_modifier(word: str, tokens: Iterator[str]) -> tuple[str, bool]:
    """The word after a modifier such as `type`, and whether only types are imported."""
    if word not in _MODIFIERS:
        return word, False
    following = next(tokens, "")
    if following in (",", "=", "from"):
        return word, False  # it is a name, not a modifier
    return following, word.startswith("type")


def _specifiers(tokens: Iterator[str]) -> Iterator[tuple[str, str, bool]]:
    """(name, alias, whether it is marked as a type) of the entries in braces; the opening brace has been read."""
    words: list[str] = []
    for word in tokens:
        if word in ("import", "export") and words[-1:] != ["as"]:
            return  # the brace was never closed
        if word not in (",", "}"):
            words.append(unquoted(word))
            continue
        if words:
            typed = words[0] in ("type", "typeof") and (len(words) in (2, 4) or words[1:] == ["as", "as"])
            yield words[typed], words[-1], typed
        words = []
        if word == "}":
            return


def _required(tokens: Iterator[str]) -> str:
    """Module of `require("...")` in the next tokens; empty = they are something else."""
    if next(tokens, "") != "require" or next(tokens, "") != "(":
        return ""
    return unquoted(next(tokens, ""))


def unquoted(word: str) -> str:
    """The text of a string; anything else is returned unchanged."""
    return word[1:-1] if word[:1] in ("'", '"') else word


def called_at(source: bytes, found: re.Match[bytes]) -> Import:
    """The import by `require("...")` or `import("...")`, with the names bound to it, but without its position."""
    module = (found[2] or found[3] or found[4]).decode("utf-8", "replace")
    form = "require" if found[1] == b"require" else "dynamic"
    member = (found[6] or b"").decode()
    names, aliases = _targets(source, found.start())
    if member in ("", "then", "catch", "finally"):
        return Import(module, 0, names, 0, form=form, aliases=aliases)
    return Import(module, 0, (member,), 0, form=form, aliases=aliases if names is None else ())


def _targets(source: bytes, start: int) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Names and aliases (as in `facts.Import`) to which the value at `start` is bound: `const {a, b: c} =`."""
    before = source[max(start - _TARGET_REACH, 0) : start]
    equals = _BEFORE_VALUE.search(before[-40:])
    if equals is None:
        return None, ()
    before = before[: len(before) - len(equals[0])].rstrip()
    if before.endswith(b"}"):
        opening = before.rfind(b"{")
        pairs = [part.split(b":") for part in before[opening + 1 : -1].split(b",") if part.strip()]
        if opening < 0 or any(len(pair) > 2 or b"..." in pair[0] for pair in pairs):
            return None, ()
        words = [(_word(pair[0]), _word(pair[-1])) for pair in pairs]
        return tuple(name for name, _ in words), tuple(alias for _, alias in words)
    target = _TARGET.search(before)
    if target is None:
        return None, ()
    name = target[1].decode("utf-8", "replace")
    if name in _WHOLE:
        return None, (EXPORTED,)
    return None, (name.removeprefix("module.").removeprefix("exports."),)


_WHOLE = ("module.exports", "exports")  # names for the exports of a CommonJS module


def _word(text: bytes) -> str:
    """The first word of `a = 1`."""
    return text.partition(b"=")[0].strip().decode("utf-8", "replace")


REFERENCE = re.compile(rb"///\s*<reference\s+(path|types)\s*=\s*[\"']([^\"'\n]+)[\"']")


def reference(found: re.Match[bytes], line: int) -> Import:
    """The import for a match of `REFERENCE`."""
    form = f"reference {found[1].decode()}"
    return Import(found[2].decode("utf-8", "replace"), 0, None, line, TYPE_CHECKING, form=form)


# -- without a parse --------------------------------------------------------------------------------------------

_WORDS = (b"import", b"export", b"require", b"<reference")
# Bytes before a word that are examined. Without a limit, hostile files would take quadratic time.
_LONGEST_MARGIN = 300
_LONGEST_COMMENT = 20_000


def imports_of(source: bytes) -> FileFacts:
    """Imports in UTF-8 text with Unix line ends, found without parsing; indented ones are taken for deferred."""
    hits = sorted((start, word) for word in _WORDS for start in places(source, word))
    found: list[Import] = []
    line, counted, behind = 1, 0, 0
    for start, word in hits:
        if start < behind:
            continue  # it is a name in the previous statement
        row = _scanned(source, start, word)
        if row is not None:
            line += source.count(b"\n", counted, start)
            counted = start
            behind = source.find(b"\n", start)
            found.append(row._replace(line=line))
    lines = source.count(b"\n") + (bool(source) and not source.endswith(b"\n"))
    return FileFacts(lines, imports=tuple(found))


def places(source: bytes, word: bytes) -> Iterator[int]:
    """Positions of `word` in the source; searching for fixed text is ten times faster than for an expression."""
    start = source.find(word)
    while start >= 0:
        yield start
        start = source.find(word, start + len(word))


def _scanned(source: bytes, start: int, word: bytes) -> Import | None:
    """The import that begins with `word` at `start`, without its line; None = there is none."""
    margin = source.rfind(b"\n", max(start - _LONGEST_MARGIN, 0), start) + 1
    if margin == 0 and start > _LONGEST_MARGIN:
        margin = start - _LONGEST_MARGIN
    before = source[margin:start]
    if word == b"<reference":
        found = REFERENCE.match(source, margin + len(before) - len(before.lstrip()))
        return reference(found, 0) if found else None
    if (b"//" in before and before.lstrip().startswith(b"//")) or _in_comment(source, start):
        return None
    called = None if word == b"export" else CALLED.match(source, start)
    if called is not None:
        when = DEFERRED if before[:1].isspace() else ALWAYS
        return called_at(source, called)._replace(when=when)
    if word == b"require" or before.rstrip()[-1:] not in b";}":
        return None
    read = statement_at(source, start)
    if read is None or not read.module:
        return None
    when = TYPE_CHECKING if read.types_only else ALWAYS
    return Import(read.module, 0, read.names, 0, when, False, read.form, read.aliases)


def _in_comment(source: bytes, start: int) -> bool:
    """Whether a block comment is open at `start`; a `/*` inside a string does not count."""
    opened = source.rfind(b"/*", max(start - _LONGEST_COMMENT, 0), start)
    if opened < 0 or source.find(b"*/", opened, start) >= 0:
        return False
    before = source[source.rfind(b"\n", max(opened - _LONGEST_MARGIN, 0), opened) + 1 : opened][-_LONGEST_MARGIN:]
    return not any(before.count(quote) % 2 for quote in (b"'", b'"', b"`"))
