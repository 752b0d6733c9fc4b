"""Paths in `package.json` and `tsconfig.json` once files are elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from cbvtool.apply.source import Edit, spliced
from cbvtool.apply.stopped import Stopped

_TOKEN = re.compile(rb'"((?>(?:[^"\\]|\\.)*))"|/\*.*?\*/|//[^\n]*|([{}\[\]:,])', re.DOTALL)
# Keys whose paths may leave an ending out, or name the folder of an `index`; those whose paths are whole; and globs.
_MODULES = frozenset({"main", "module", "types", "typings", "source", "bin", "browser", "paths", "baseUrl"})
_PATHS = frozenset({"exports", "imports", "unpkg", "jsdelivr", "react-native", "style", "extends", "references"})
_GLOBS = frozenset({"sideEffects", "files", "include", "exclude", "rootDir", "rootDirs", "typeRoots", "directories"})
_ENDINGS = ("", ".js", ".json", ".ts", ".mjs", ".cjs", ".tsx", "/index.js", "/index.ts")


def is_config(path: str) -> bool:
    """Whether a file says where scripts lie."""
    name = posixpath.basename(path)
    return name == "package.json" or (name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json"))


def changed_config(path: str, content: bytes, paths: frozenset[str], new_path: Callable[[str], str | None]) -> bytes:
    """The content of the configuration at `path` today. Raises Stopped where nobody can say what is meant.

    paths  of all files today
    """
    new = new_path(path)
    assert new is not None
    edits = []
    base = "" if posixpath.basename(path) == "package.json" else _base(content)
    for start, end, where in _strings(content):
        if not (_MODULES | _PATHS | _GLOBS) & where:
            continue
        text = content[start:end].decode("utf-8", "replace")
        folders = posixpath.dirname(path), posixpath.dirname(new)
        place = _Place(path, base if "paths" in where else "", folders, paths, new_path)
        wanted = place.wanted(text, _ENDINGS if _MODULES & where else ("",))
        if wanted != text:
            edits.append(Edit(start, end, wanted))
    return spliced(content, edits) if edits else content


def _base(content: bytes) -> str:
    found = [content[start:end] for start, end, where in _strings(content) if "baseUrl" in where]
    return found[0].decode("utf-8", "replace") if found else ""


def _strings(content: bytes) -> Iterator[tuple[int, int, frozenset[str]]]:
    """(start, end, keys above it) of each string that is a value, and of the keys below `browser`, which are paths."""
    keys: list[str] = []
    last: tuple[int, int, str] | None = None
    key = ""
    for match in _TOKEN.finditer(content):
        if match[1] is not None:
            last = match.start(1), match.end(1), match[1].decode("utf-8", "replace")
            continue
        sign = match[2]
        if sign is None:
            continue
        if sign == b":" and last is not None:
            if "browser" in keys:
                yield last[0], last[1], frozenset(keys)
            key, last = last[2], None
            continue
        if last is not None:
            yield last[0], last[1], frozenset([*keys, key])
            last = None
        if sign in b"{[":
            keys.append(key)
            if sign == b"{":
                key = ""
        elif sign in b"}]" and keys:
            key = keys.pop()


class _Place:
    """A path in a configuration."""

    def __init__(
        self,
        path: str,
        base: str,
        folders: tuple[str, str],
        paths: frozenset[str],
        new_path: Callable[[str], str | None],
    ) -> None:
        self._path, self._base, self._folders = path, base, folders
        self._paths, self._new_path = paths, new_path

    def wanted(self, text: str, endings: tuple[str, ...]) -> str:
        """What is to be written in place of the text, whose path may have been written without one of the endings."""
        if not text or text.startswith(("@", "/", "#", "!")) or ":" in text:
            return text
        before, after = (posixpath.normpath(posixpath.join(folder, self._base)) for folder in self._folders)
        head, star, _ = text.partition("*")
        if star:
            head = head.rpartition("/")[0]
            moved = self._folder(posixpath.normpath(posixpath.join(before, head)))
            return text if moved is None else self._written(head, after, moved) + text[len(head) :]
        target = posixpath.normpath(posixpath.join(before, text))
        for ending in endings:
            if target + ending in self._paths:
                new = self._new_path(target + ending)
                if new is None:
                    raise Stopped(f"{self._path} names {target + ending}, which would be gone.", self._path)
                return self._written(text, after, new.removesuffix(ending))
        moved = self._folder(target)
        return text if moved is None else self._written(text, after, moved)

    def _folder(self, folder: str) -> str | None:
        """Where a folder is then; None = it holds no file. Raises Stopped if its files part."""
        prefix = "" if folder == "." else f"{folder}/"
        news = {path: self._new_path(path) for path in self._paths if path.startswith(prefix)}
        if not news:
            return None
        if any(new is not None and new.startswith(prefix) for new in news.values()):
            return folder
        tops = set()
        for path, new in news.items():
            rest = path[len(prefix) - 1 :]
            tops.add(new.removesuffix(rest) if new is not None and new.endswith(rest) else "")
        top = tops.pop()
        if tops or not top:
            raise Stopped(f"{self._path} names {folder}, whose files would go to several places.", self._path)
        return top

    @staticmethod
    def _written(text: str, after: str, new: str) -> str:
        """The path to `new` from the folder `after`, in the style of the text."""
        found = posixpath.relpath(new, after)
        if posixpath.normpath(text) == found:
            return text
        if text.startswith("./") and not found.startswith("../"):
            found = f"./{found}"
        return found + "/" if text.endswith("/") else found


def root_folder(path: str, content: bytes) -> str | None:
    """The folder that everything a `tsconfig.json` compiles must lie in, from the top one on; None = it says none."""
    for start, end, where in _strings(content):
        if "rootDir" in where:
            text = content[start:end].decode("utf-8", "replace")
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
            return None if found == "." else found
    return None


def exported_patterns(content: bytes) -> list[str]:
    """Patterns of `exports` and `imports` in a `package.json`: with them the name of a module comes from its place."""
    return [
        content[start:end].decode("utf-8", "replace")
        for start, end, where in _strings(content)
        if {"exports", "imports"} & where and b"*" in content[start:end]
    ]
