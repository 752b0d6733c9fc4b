"""The languages whose files can change places: what each of them reads, and what it rewrites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from cbvtool.apply.java.moving import JavaMoves
from cbvtool.apply.javascript.moving import JavaScriptMoves
from cbvtool.apply.links import relinked
from cbvtool.apply.python.moving import FileTree, Moved, move
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped

_PYTHON_WHERE = re.compile(
    rb"\b(?:__file__|__path__|__package__|import_module|pkgutil|importlib\.resources|get_data)\b"
)


class MoveLanguage(Protocol):
    """What carrying out a move needs of a language. Python, whose imports are followed, has `python.moving` instead.

    name   for people
    where  finds code that asks for its own place
    needs_imports  whether a file can use no other one without an import
    """

    name: str
    where: re.Pattern[bytes]
    needs_imports: bool

    def owns(self, path: str) -> bool:
        """Whether a file is one of its own."""

    def rewrites(self, importer: str, imported: str) -> bool:
        """Whether it rewrites how one file names another one."""

    def reads(self, path: str) -> bool:
        """Whether it asks for the content of a file: its own ones, and others that name them."""

    def changed(
        self, paths: frozenset[str], contents: Mapping[str, bytes], moved: Mapping[str, str | None]
    ) -> dict[str, bytes]:
        """The new content of each file that has to change, by its path today.

        paths     of all files
        contents  of all files that it reads, by path
        moved     old path -> new path, None = removed; only files that change places

        Raises Stopped where nobody can say what to write.
        """

    def forwarder(self, path: str, new: str, contents: Mapping[str, bytes]) -> bytes | None:
        """The content of a file under an old path that leads to the new one; None = nobody needs it.

        contents  of all files that it reads, by path afterwards

        Raises Stopped if there is no such file in this language.
        """

    def called(self, contents: Mapping[str, bytes], places: Mapping[str, str | None]) -> set[str]:
        """How other texts name what is called otherwise once the files are at these places."""

    def doubtful(
        self, paths: frozenset[str], contents: Mapping[str, bytes], places: Mapping[str, str | None]
    ) -> Iterable[tuple[str, int, str]]:
        """(path afterwards, line, text) of texts in its files that look as if they named what is elsewhere now."""


LANGUAGES: tuple[MoveLanguage, ...] = (JavaMoves(), JavaScriptMoves())


def language_of(path: str) -> MoveLanguage | None:
    """The language of a file; None = Python, or one that is not rewritten."""
    return next((language for language in LANGUAGES if language.owns(path)), None)


def are_rewritten(importer: str, imported: str) -> bool:
    """Whether a language rewrites how the first of two files names the other one."""
    return any(language.rewrites(importer, imported) for language in LANGUAGES)


def is_spliced(path: str) -> bool:
    """Whether the content of a file is needed to carry a plan out."""
    return is_python(path) or any(language.reads(path) for language in LANGUAGES)


def is_implied(importer: str, imported: str) -> bool:
    """Whether the first of two files, which uses the other one, may do so without an import."""
    language = language_of(importer)
    return language is not None and language is language_of(imported) and not language.needs_imports


def forwarding(tree: FileTree, places: Mapping[str, str | None]) -> Iterator[tuple[str, str, bytes]]:
    """(old path, new path, content) of files to be left under old names; Python's apart.

    tree  the files at these places

    Raises Stopped if there is none in the language of one that moved.
    """
    for path, new in sorted(places.items()):
        language = language_of(path)
        if language is None or new is None or path == new or path in tree.paths or new not in tree.contents:
            continue
        content = language.forwarder(path, new, _own(language, tree.contents))
        if content is not None:
            yield path, new, content


def called(contents: Mapping[str, bytes], places: Mapping[str, str | None]) -> set[str]:
    """How other texts name what is called otherwise once the files are at these places; Python's names apart."""
    return set[str]().union(*(language.called(_own(language, contents), places) for language in LANGUAGES))


def doubtful(tree: FileTree, places: Mapping[str, str | None]) -> Iterator[tuple[str, int, str]]:
    """(path afterwards, line, text) of texts that look as if they named what is elsewhere then."""
    for language in LANGUAGES:
        yield from language.doubtful(tree.paths, _own(language, tree.contents), places)


def _own(language: MoveLanguage, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in contents.items() if language.reads(path)}


def asks_for_its_place(path: str) -> re.Pattern[bytes] | None:
    """Finds code in a file that asks where it lies; None = nothing is known of its language."""
    language = language_of(path)
    return language.where if language is not None else (_PYTHON_WHERE if is_python(path) else None)


def relocated(
    tree: FileTree,
    steps: Mapping[str, str | None],
    packages: Iterable[str] = (),
    joined: Mapping[str, str] = MappingProxyType({}),
) -> Moved:
    """Carry out a change of places: old path -> new path, None = removed.

    packages  folders that the plan makes as packages
    joined    see `Relocation`

    Raises Stopped, with nothing done.
    """
    found = move(tree, steps, packages, joined)
    contents, rewritten = dict(found.tree.contents), set(found.rewritten)
    for language in LANGUAGES:
        own = _own(language, tree.contents)
        for path, content in language.changed(tree.paths, own, found.relocation.moved).items():
            new = found.relocation.kept[path]
            _check_encoding(path, tree.contents[path], content)
            contents[new] = content
            rewritten.add(new)
    links = relinked(tree.links, tree.paths, found.relocation.moved, found.relocation.made)
    kept = found.relocation.kept
    rewritten |= {kept[path] for path, text in tree.links.items() if path in kept and links[kept[path]] != text}
    return replace(found, tree=FileTree(found.tree.paths, contents, links), rewritten=tuple(sorted(rewritten)))


def _check_encoding(path: str, before: bytes, after: bytes) -> None:
    """Raise Stopped for a file that is not UTF-8, and would get letters that are."""
    if _beyond_ascii(before) == _beyond_ascii(after):
        return
    try:
        before.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Stopped(f"{path} would have to be changed, and is not UTF-8: change it by hand first.", path) from error


def _beyond_ascii(content: bytes) -> bytes:
    return content.translate(None, bytes(range(128)))
