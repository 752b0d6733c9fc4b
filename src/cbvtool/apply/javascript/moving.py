"""JavaScript and TypeScript files that change places, and everything that names them by a path."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from cbvtool.apply.javascript.configs import changed_config, exported_patterns, is_config, root_folder
from cbvtool.apply.javascript.forwarding import forwarding_script
from cbvtool.apply.javascript.modules import ScriptModules, is_relative, spellings
from cbvtool.apply.javascript.source import Specifier, is_script, script_source
from cbvtool.apply.source import Edit, spliced
from cbvtool.apply.stopped import Stopped

_STYLES = (".css", ".scss", ".sass", ".less")
_PAGES = (".vue", ".svelte", ".astro", ".mdx")  # scripts in other files, which are not rewritten
_DATA = (".json", ".node", *_STYLES, *_PAGES)  # what is imported besides scripts
_ALSO = ("lerna.json", "pnpm-workspace.yaml")
_ASKS = re.compile(rb"\b__dirname\b|\b__filename\b|\bimport\.meta\.(?:url|dirname|filename|glob)|\brequire\.context\b")
_TYPED = (".ts", ".tsx")
_WITH_ENDING = re.compile(rb"""from\s*["']\.{1,2}/[^"'\n]*\.js["']""")
_IN_PAGE = re.compile(rb"""(?:from\s*|import\s*\(?\s*|require\(\s*|src=)["'](\.{1,2}/[^"'\n]+)["']""")
_IN_STYLE = re.compile(
    rb"""@(?:import|use|forward)\s+(?:url\(\s*)?["']([^"'\n]+)["']|url\(\s*["']?([^"')\s]+)["']?\s*\)"""
)


class JavaScriptMoves:
    """See `MoveLanguage`."""

    name = "JavaScript"
    where = _ASKS
    needs_imports = True

    def reads(self, path: str) -> bool:
        """See `MoveLanguage`."""
        return is_script(path) or is_config(path) or path.endswith((*_STYLES, *_PAGES, *_ALSO))

    def owns(self, path: str) -> bool:
        """See `MoveLanguage`."""
        return is_script(path)

    def rewrites(self, importer: str, imported: str) -> bool:
        """See `MoveLanguage`: scripts import style sheets and data, too."""
        return is_script(importer)

    def changed(
        self, paths: frozenset[str], contents: Mapping[str, bytes], moved: Mapping[str, str | None]
    ) -> dict[str, bytes]:
        """See `MoveLanguage`."""
        return _Move(paths, contents, moved).changed() if any(map(is_script, contents)) else {}

    def forwarder(self, path: str, new: str, contents: Mapping[str, bytes]) -> bytes | None:
        """See `MoveLanguage`: one that exports again what the new one does."""
        typed = (content for other, content in contents.items() if other.endswith(_TYPED))
        with_endings = any(_WITH_ENDING.search(content) for content in typed)
        return forwarding_script(path, new, contents[new], with_endings=with_endings)

    def called(self, contents: Mapping[str, bytes], places: Mapping[str, str | None]) -> set[str]:
        """See `MoveLanguage`: paths from the top folder, with their endings and without."""
        changed = [path for path, new in places.items() if new != path and is_script(path) and "/" in path]
        names = {name for path in changed for name in (path, posixpath.splitext(path)[0])}
        return names | {f"./{name}" for name in names}

    def doubtful(
        self, paths: frozenset[str], contents: Mapping[str, bytes], places: Mapping[str, str | None]
    ) -> Iterator[tuple[str, int, str]]:
        """See `MoveLanguage`: strings that look like the path of a file that is elsewhere now."""
        before = ScriptModules(paths, contents.get)
        for path, content in sorted(contents.items()):
            new = places.get(path, path)
            if not is_script(path) or new is None:
                continue
            for said in script_source(path, content).paths:
                if said.form != "string" or not is_relative(said.text):
                    continue
                target, _ = before.find(path, said)
                there = places.get(target, target)
                folders = (posixpath.dirname(path), posixpath.dirname(new))
                if target and there is not None and _step(folders[0], target) != _step(folders[1], there):
                    yield new, said.line, said.text


def _step(folder: str, path: str) -> str:
    return posixpath.relpath(path, folder or ".")


class _Move:
    """One change of places."""

    def __init__(self, paths: frozenset[str], contents: Mapping[str, bytes], moved: Mapping[str, str | None]) -> None:
        self._contents, self._moved, self._paths = contents, moved, paths
        self._before = ScriptModules(paths, contents.get)
        self._configs = {
            path: changed_config(path, content, paths, self._new)
            for path, content in contents.items()
            if is_config(path) and self._new(path) is not None
        }
        self._kept = {path: new for path in paths if (new := self._new(path)) is not None}
        back = {new: path for path, new in self._kept.items()}

        def read(new: str) -> bytes | None:
            path = back.get(new, new)
            return self._configs.get(path, contents.get(path))

        self._after = ScriptModules(self._kept.values(), read)
        self._roots = {
            (root_folder(path, contents[path]), root_folder(self._kept[path], content))
            for path, content in self._configs.items()
        }

    def _new(self, path: str) -> str | None:
        return self._moved.get(path, path)

    def changed(self) -> dict[str, bytes]:
        """The new contents, by the paths today."""
        for path in sorted(self._moved):
            self._check_place(path)
        found = {path: content for path, content in self._configs.items() if content != self._contents[path]}
        for path, content in sorted(self._contents.items()):
            if self._new(path) is None or not (is_script(path) or path.endswith((*_STYLES, *_PAGES))):
                continue
            edits = self._script(path, content) if is_script(path) else self._other(path, content)
            if edits:
                found[path] = spliced(content, edits)
        return found

    def _check_place(self, path: str) -> None:
        """Raise Stopped for a file that is found by its place, or whose package would be another one."""
        new = self._new(path)
        if new is None or path not in self._contents:
            return
        name = posixpath.basename(path)
        if is_config(path) or name in _ALSO:
            if posixpath.basename(new) != name:
                raise Stopped(f"{path} is found by its name, so it cannot get another one.", path)
            return
        if not is_script(path):
            return
        before, after = self._before.package(path), self._after.package(new)
        if before is not None:
            there = self._new(posixpath.join(before, "package.json"))
            before = posixpath.dirname(there) if there is not None else None
        if before != after:
            raise Stopped(f"{path} would be in another package, with its own dependencies: move it by hand.", path)
        folder, stem = posixpath.dirname(path), posixpath.splitext(name)[0]
        for other in self._paths:
            if other.startswith(f"{folder}/__mocks__/{stem}.".lstrip("/")) and posixpath.dirname(
                posixpath.dirname(self._new(other) or "")
            ) != posixpath.dirname(new):
                raise Stopped(f"{path} has a mock beside it, {other}, which is found by its place.", path)
        if before is not None:
            self._check_patterns(path, before)

    def _check_patterns(self, path: str, package: str) -> None:
        """Raise Stopped if the package gives the file to others by a pattern, and by another name then."""
        where = next((old for old, there in self._kept.items() if there == posixpath.join(package, "package.json")), "")
        inside = posixpath.relpath(path, posixpath.dirname(where) or ".")
        for pattern in exported_patterns(self._contents.get(where, b"")):
            head, _, tail = posixpath.normpath(pattern).partition("*")
            if inside.startswith(head) and inside.endswith(tail.partition("*")[2] or tail):
                raise Stopped(f"{where} gives {path} to others by the pattern {pattern}: move it by hand.", path)

    # -- one file

    def _script(self, path: str, content: bytes) -> list[Edit]:
        edits, source = list[Edit](), script_source(path, content)
        for said in source.paths:
            wanted = said.text if said.form == "string" else self._wanted(path, said)
            if wanted != said.text:
                edits.append(Edit(said.start, said.end, wanted))
        for start, line in source.computed:
            self._check_computed(path, start, line)
        if edits and source.broken:
            raise Stopped(f"{path} would have to be changed, and not all of its syntax can be read.", path)
        return edits

    def _wanted(self, path: str, said: Specifier) -> str:
        """How a path is to be written. Raises Stopped where nobody can say so."""
        new = self._kept[path]
        target, is_outside = self._before.find(path, said)
        folders = posixpath.dirname(path), posixpath.dirname(new)
        if not target:
            return self._unknown(path, said, folders, is_outside=is_outside)
        there = self._kept.get(target)
        if there is None:
            raise Stopped(f"{path}:{said.line} imports {target}, which would be gone.", path)
        self._check_roots(path, target)
        if self._after.find(new, said)[0] == there:
            return said.text
        if is_relative(said.text) or said.form in ("url", "reference path"):
            ways = spellings(said, (folders[0], target), (folders[1], there))
        else:
            ways = _renamed(said.text, target, there)
            if self._before.package(path) == self._before.package(target):
                suffix = posixpath.splitext(target)[1]
                near = posixpath.relpath(target if said.text.endswith(suffix) else _module(target), folders[0] or ".")
                beside = said._replace(text=near if near.startswith("../") else f"./{near}")
                ways += spellings(beside, (folders[0], target), (folders[1], there))
        for way in ways:
            if self._after.find(new, said._replace(text=way))[0] == there:
                return way
        raise Stopped(f"{path}:{said.line} imports {said.text}, and what {there} would be called nobody can say.", path)

    def _check_roots(self, path: str, target: str) -> None:
        """Raise Stopped if a file would import one from outside of the folder that TypeScript compiles."""
        for before, after in self._roots:
            if before is None or after is None:
                continue
            was_inside = not path.startswith(f"{before}/") or target.startswith(f"{before}/")
            new, there = self._kept[path], self._kept[target]
            if was_inside and new.startswith(f"{after}/") and not there.startswith(f"{after}/"):
                raise Stopped(f"{path} would import {there}, which is not in {after}, the rootDir of TypeScript.", path)

    def _unknown(self, path: str, said: Specifier, folders: tuple[str, str], *, is_outside: bool) -> str:
        """The same of what leads to no file of the tree."""
        found = self._after.find(self._kept[path], said)[0]
        if found:
            raise Stopped(f"{path}:{said.line} imports {said.text}, and {found} would be taken for it.", path)
        if is_outside or not is_relative(said.text) or folders[0] == folders[1]:
            return said.text
        raise Stopped(f"{path}:{said.line} imports {said.text}, which is no file of the repository.", path)

    def _check_computed(self, path: str, start: str, line: int) -> None:
        """Raise Stopped for an import of a computed path, if files may be elsewhere then."""
        if not is_relative(start):
            return
        folder = posixpath.normpath(posixpath.join(posixpath.dirname(path), start.rpartition("/")[0]))
        new_folder = posixpath.normpath(posixpath.join(posixpath.dirname(self._kept[path]), start.rpartition("/")[0]))
        prefix = "" if folder == "." else f"{folder}/"
        inside = [one for one in self._paths if one.startswith(prefix) and (is_script(one) or one.endswith(_DATA))]
        if folder == new_folder and not any(one in self._moved for one in inside):
            return
        there = "" if new_folder == "." else f"{new_folder}/"
        if inside and all(self._kept.get(one) == there + one.removeprefix(prefix) for one in inside):
            return
        raise Stopped(f"{path}:{line} computes what it imports from {start}: move it by hand.", path)

    def _other(self, path: str, content: bytes) -> list[Edit]:
        """A style sheet, whose paths change, or a page, whose paths must not have to."""
        is_style = path.endswith(_STYLES)
        edits = []
        for match in (_IN_STYLE if is_style else _IN_PAGE).finditer(content):
            start, end = match.span(1) if match[1] is not None else match.span(2)
            text = content[start:end].decode("utf-8", "replace")
            line = content.count(b"\n", 0, start) + 1
            if ":" in text or text.startswith(("/", "#", "~")):
                continue
            said = Specifier(start, end, text, "url" if is_style else "import", False, line)
            if not is_style:
                self._must_lead(path, said)
                continue
            if self._is_found_otherwise(path, said):
                continue
            wanted = self._wanted(path, said)
            if wanted != text:
                edits.append(Edit(start, end, wanted))
        return edits

    def _must_lead(self, path: str, said: Specifier) -> None:
        target, _ = self._before.find(path, said)
        if target and self._kept.get(target) != self._after.find(self._kept[path], said)[0]:
            raise Stopped(f"{path}:{said.line} names {said.text}, and such files are not rewritten.", path)

    def _is_found_otherwise(self, path: str, said: Specifier) -> bool:
        """Whether a style sheet names no file by its whole path; then nothing must move there."""
        if self._before.find(path, said)[0]:
            return False
        if path not in self._moved and not any(one.endswith(_STYLES) for one in self._moved):
            return True
        if is_relative(said.text) or path in self._moved:
            raise Stopped(f"{path}:{said.line} names {said.text}, which is no file of the repository.", path)
        return True


def _renamed(text: str, target: str, there: str) -> list[str]:
    """A name by an alias, `@/a/b`, for a file that is elsewhere: what it shares with the path gives way."""
    for old, new in ((target, there), (_bare(target), _bare(there)), (_module(target), _module(there))):
        shared = _tail(text, old)
        root = old[: len(old) - len(shared)]
        if shared and new.startswith(root):
            return [text[: len(text) - len(shared)] + new[len(root) :]]
    return []


def _bare(path: str) -> str:
    return posixpath.splitext(path)[0]


def _module(path: str) -> str:
    return _bare(path).removesuffix("/index")


def _tail(text: str, path: str) -> str:
    """The longest run of names that both end with."""
    names, others = text.split("/"), path.split("/")
    count = 0
    while count < min(len(names), len(others)) and names[-1 - count] == others[-1 - count]:
        count += 1
    return "/".join(names[len(names) - count :]) if count else ""
