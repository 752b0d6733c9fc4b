"""Qualified names of functions, as recordings of many languages write them, taken apart."""

from __future__ import annotations

import re
from typing import NamedTuple

UNKNOWN = -1

_PLAIN = re.compile(r"[\w.]+", re.ASCII)
# Words of Python, also of what is local to functions, and what has no name in them.
_PYTHON = re.compile(
    r"((?:[^\W\d]\w*\.|<locals>\.)*[^\W\d]\w*)(\.(?:<locals>\.)?<(?:lambda|listcomp|setcomp|dictcomp|genexpr)>)?",
    re.ASCII,
)
_CLONES = frozenset({"constprop", "part", "isra", "cold", "lto_priv", "llvm"})  # last words of `_CLONE`
_PIECE = re.compile(r"(\w+)|::|->|[.#\\/]", re.ASCII)  # a word, or a separator
_CLONE = re.compile(r"(\s*\[clone [^\]]*\]|\s*\(\.[\w.]+\)|\.(constprop|part|isra|cold|lto_priv|llvm)(\.\d+)*)+$")
_NO_NAME_SPACE = re.compile(r"(\(anonymous namespace\)|\{anonymous\}|`anonymous namespace'|<unnamed>)(::)?")
_JAVA_LAMBDA = re.compile(r"\blambda\$(\w+?)\$\d+")
_OPERATOR = re.compile(
    r"operator\s*(?:\(\)|\[\]|->\*?|<=>|<<=|>>=|<<|>>|[-+*/%^&|~!=<>,]=?|&&|\|\||\+\+|--"
    r"|(?:\s(?:new|delete)(?:\[\])?)|\"\"\s*\w+|\s[\w:*& ]+)(?:=|&|\||\+|-)?(?=\s*[(<]|$)"
)
_SPECIAL = re.compile(r"<(locals|module|init|clinit|[a-z]+|generic parameters of [^>]*)>")


class Qualified(NamedTuple):
    """A name in its parts, from the outermost on, without template arguments and parameters: `ns::V<int>::get(int)`
    as `ns`, `V`, `get`.

    parameters  how many the name lists, `UNKNOWN` if it lists none
    inside      what has no name (a lambda, a comprehension, an anonymous class) in what the parts name
    body        the body of a module
    spaced      separated by `::`, so that the first parts may be namespaces
    """

    parts: tuple[str, ...]
    parameters: int = UNKNOWN
    inside: bool = False
    body: bool = False
    spaced: bool = False


def taken_apart(name: str) -> Qualified:
    """The parts of a recorded name; whatever it looks like, the result says something."""
    words, inside = name, False
    if not _PLAIN.fullmatch(name):
        found = _PYTHON.fullmatch(name)
        if found is None:
            return slowly_taken_apart(name)
        words, inside = found[1].replace("<locals>", ""), found[2] is not None
    parts = words.split(".")
    if parts[-1] in _CLONES or parts[-1].isdigit():
        return slowly_taken_apart(name)
    return Qualified(tuple(filter(None, parts)), inside=inside)


def slowly_taken_apart(name: str) -> Qualified:  # noqa: C901 -- one branch for each sign that a name may hold
    """What `taken_apart` returns, sign by sign: for names of any language."""
    text = _NO_NAME_SPACE.sub("", _CLONE.sub("", name))
    inside = _JAVA_LAMBDA.search(text) is not None
    if inside:
        text = _JAVA_LAMBDA.sub(r"\1", text)
    parts: list[str] = []
    word, parameters, at = "", UNKNOWN, 0

    def end_word() -> None:
        nonlocal word
        if word:
            parts.append(word)
        word = ""

    while at < len(text):
        sign = text[at]
        if not word and text.startswith("operator", at) and (found := _OPERATOR.match(text, at)):
            word, at = " ".join(found[0].split()), found.end()
            continue
        if piece := _PIECE.match(text, at):
            if piece[1]:
                word += piece[1]
            else:
                end_word()
            at = piece.end()
            continue
        if sign == "<":
            special = _SPECIAL.match(text, at)
            if special and not word:
                at = special.end()
                if special[1] == "module":
                    return Qualified((), body=True)
                if special[1] == "init" and parts:
                    parts.append(parts[-1])
                elif special[1] not in ("locals", "init"):
                    inside = True
                    break
                continue
            at = _matching(text, at)
            continue
        if sign == "(":
            if not word and text.startswith("(*", at):  # a receiver in Go
                at += 2
                continue
            close = _matching(text, at)
            if not word and not parts:
                inside = True
                break
            parameters, at = _count(text[at + 1 : close - 1]), close
            if not text.startswith("::", at):
                break
            continue
        if sign == "{":
            inside = True
            break
        if sign in "['":
            break
        if sign.isspace() and word.startswith("operator"):
            at += 1
            continue
        if sign.isspace():  # what stands before it is a modifier or the type of the result
            parts.clear()
            word, at = "", at + 1
            continue
        if sign == "$" and word and text[at + 1 : at + 2].isalnum():
            end_word()
            at += 1
            continue
        if sign not in ")*&":
            word += sign
        at += 1
    end_word()
    for number, part in enumerate(parts):
        if part.isdigit():
            return Qualified(tuple(parts[:number]), UNKNOWN, True, False, "::" in name)
    if inside:
        parameters = UNKNOWN
    return Qualified(tuple(parts), parameters, inside, False, "::" in name)


def _matching(text: str, at: int) -> int:
    """The place after the bracket that closes the one at `at`; the end, if none does."""
    opened, closed = ("<", ">") if text[at] == "<" else ("(", ")")
    depth = 0
    for place in range(at, len(text)):
        if text[place] == opened:
            depth += 1
        elif text[place] == closed and text[place - 1 : place + 1] != "->":
            depth -= 1
            if not depth:
                return place + 1
    return len(text)


def _count(parameters: str) -> int:
    """How many parameters a list between brackets has."""
    if parameters.strip() in ("", "void"):
        return 0
    depth, commas = 0, 0
    for sign in parameters:
        depth += (sign in "<([{") - (sign in ">)]}")
        commas += sign == "," and depth == 0
    return commas + 1
