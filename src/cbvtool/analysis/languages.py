"""The languages that are read in depth. Adding one means one file here, one corpus folder, one row below."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple, Protocol, cast

from cbvtool.analysis.facts import FileFacts, Resolution


class Language(NamedTuple):
    """A language by name; its modules are imported only where and when they are needed.

    reader    module with `read_facts(source: bytes) -> FileFacts`, run in worker processes
    resolver  module with `resolve(above, paths, facts) -> Resolution`, run once for all files of its family
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    resolver: str


class Reader(Protocol):
    """What a language's reader module offers."""

    def read_facts(self, data: bytes) -> FileFacts:
        """Facts of one file, given its bytes as they are on disk; raises `Unreadable`."""


class Resolver(Protocol):
    """What a language family's resolver module offers."""

    def resolve(self, above: tuple[str, ...], paths: list[str], facts: dict[int, FileFacts]) -> Resolution:
        """Relations between the files at `paths`, from the facts of those that were read."""


LANGUAGES = (
    Language("Python", (".py", ".pyw", ".pyi"), "cbvtool.analysis.python", "cbvtool.analysis.python_imports"),
)  # fmt: skip

_OF_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """The language that the file name stands for; None = not read in depth."""
    dot = path.rfind(".", path.rfind("/") + 1)
    return _OF_SUFFIX.get(path[dot:]) if dot >= 0 else None


def reader(name: str) -> Reader:
    """The reader module called `name` (a `Language.reader`)."""
    return cast(Reader, import_module(name))


def resolver(name: str) -> Resolver:
    """The resolver module called `name` (a `Language.resolver`)."""
    return cast(Resolver, import_module(name))
