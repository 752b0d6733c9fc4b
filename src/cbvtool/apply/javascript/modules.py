"""What paths in scripts lead to, in one state of a tree, and what leads to a file from elsewhere."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from cbvtool.analysis.facts import ALWAYS, TYPE_CHECKING, Import
from cbvtool.analysis.languages.javascript.modules import Modules
from cbvtool.analysis.resolution import Folder
from cbvtool.apply.javascript.source import Specifier

_INDEX = "index"


class ScriptModules:
    """The files of a tree, and what leads to them.

    paths  of all files
    """

    def __init__(self, paths: Iterable[str], read: Callable[[str], bytes | None]) -> None:
        """The tree with these paths; `read` gives the content of a file, as far as it is known."""
        self._modules = Modules(Folder((), sorted(paths), read))
        self.paths = self._modules.files

    def find(self, path: str, said: Specifier) -> tuple[str, bool]:
        """(file that a path in the script at `path` leads to; empty = none, whether it leads out of the tree)."""
        if said.form == "url":
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), said.text.partition("?")[0]))
            return (target if target in self.paths else ""), ":" in said.text
        when = TYPE_CHECKING if said.types else ALWAYS
        form = "require" if said.form == "string" else said.form
        found = self._modules.find(self.paths[path], Import(said.text, 0, None, said.line, when, form=form))
        return (self._modules.paths[found.file] if found.file >= 0 else ""), bool(found.outside)

    def package(self, path: str) -> str | None:
        """The folder of the package that a file is in; None = in none."""
        folder = posixpath.dirname(path)
        while folder not in self._modules.packages:
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        return folder


def is_relative(text: str) -> bool:
    """Whether a path begins at the file that names it."""
    return text in (".", "..") or text.startswith(("./", "../"))


def spellings(said: Specifier, old: tuple[str, str], new: tuple[str, str]) -> list[str]:
    """How a path may be written that leads to another place, best first: with its ending, or without, as it was.

    old, new  (folder of the script, file that is meant)
    """
    text, mark, rest = said.text, "", ""
    for sign in "?#":
        if sign in text[1:]:
            text, mark, rest = text[0] + text[1:].partition(sign)[0], sign, text[1:].partition(sign)[2]
            break
    written = posixpath.normpath(posixpath.join(old[0], text))
    target = new[1]
    found = []
    tail = old[1] if written == "." else old[1].removeprefix(written)
    if not tail:
        found.append(target)
    elif tail == old[1] and written != "." and _stem(written) == _stem(old[1]):  # `./x.js` for x.ts
        found.append(_stem(target) + written[len(_stem(written)) :])
    elif tail.startswith("."):
        found += [target.removesuffix(tail) if target.endswith(tail) else _stem(target)]
    else:
        if is_index(posixpath.basename(target)) or not is_index(tail.lstrip("/")):
            found.append((posixpath.dirname(target) or ".") + ("/" if text.endswith("/") else ""))
        found.append(_stem(target))
    found.append(target)
    plain = said.form in ("url", "reference path") and not is_relative(text)
    return [_from(new[0], one, plain=plain) + mark + rest for one in dict.fromkeys(found)]


def is_index(name: str) -> bool:
    """Whether a file stands for its folder."""
    return name.partition(".")[0] == _INDEX


def _stem(path: str) -> str:
    folder, name = posixpath.split(path)
    stem, suffix = posixpath.splitext(name)
    if suffix in (".ts", ".mts", ".cts") and stem.endswith(".d"):
        stem = stem[:-2]
    return posixpath.join(folder, stem)


def _from(folder: str, path: str, *, plain: bool) -> str:
    found = posixpath.relpath(path.rstrip("/") or ".", folder or ".")
    if path.endswith("/") and path.rstrip("/"):
        found += "/"
    return found if plain or found in (".", "..") or found.startswith("../") else f"./{found}"
