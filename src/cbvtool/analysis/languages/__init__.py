"""The languages that are read in depth. A new one needs one file here, one corpus folder, and one row below."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, cast, runtime_checkable

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.resolution import Folder, Resolution


class Language(NamedTuple):
    """A language; its modules are imported only in the process that needs them.

    reader    module (with a leading dot: of this package) with `read_facts` and `read_imports`, run in worker processes
    resolver  module with `resolve` or `divided`, for all files of its language family; may be the same as `reader`
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    resolver: str


class Reader(Protocol):
    """Interface of a language's reader module. `data`: bytes of the file; `name`: name of the file with its suffix."""

    def read_facts(self, data: bytes, name: str = "") -> FileFacts:
        """All facts of one file; raises `Unreadable`."""

    def read_imports(self, data: bytes, name: str = "") -> FileFacts:
        """Only its imports and number of lines, many times faster, for a first graph; raises `Unreadable`."""


class Offering(Protocol):
    """Additional function of a reader module whose resolver is divided: see `analysis.again`."""

    def offered(self, found: FileFacts) -> FileFacts:
        """The part of a file's facts that `Divided.relate` reads when it resolves other files.

        The less, the less must be resolved again.
        """


class Resolver(Protocol):
    """Interface of a language family's resolver module."""

    def resolve(self, folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
        """Relations between the files and definitions in `facts` (by row of `folder.paths`), all of this family."""


class Divided(Protocol):
    """The files of one language family, which can be resolved in groups of files."""

    def rest(self) -> Resolution:
        """The relations that do not belong to a single file; quick."""

    def relate(self, files: Sequence[int]) -> Resolution:
        """The relations from `files`; independent of earlier calls (see `analysis.dividing`).

        They depend only on the folder without `read`, on all facts of `files`, and on what other files offer
        (`Offering`).
        """


@runtime_checkable
class Prepared(Divided, Protocol):
    """A divided resolver with slow shared data for all files.

    It is cached as long as the files offer the same facts.
    """

    def share(self, files: Sequence[int], known: Sequence[bytes]) -> bytes:
        """The contribution of `files` to the shared data, given all contributions of earlier rounds.

        Empty = nothing new.

        The rounds end when no files contribute anything (see `analysis.dividing`).
        """

    def prepared(self) -> bytes:
        """The complete shared data; what `prepare` did not supply is computed here."""

    def prepare(self, known: Sequence[bytes], whole: bool = True) -> None:
        """Supply shared data before the first `relate`.

        `known`: the result of another's `prepared`, or all contributions of `share`. `whole`: whether it is complete.
        """


@runtime_checkable
class Lasting(Divided, Protocol):
    """A divided resolver that is told of edits (see `analysis.live`)."""

    def renew(self, new: Mapping[int, FileFacts]) -> Collection[int] | None:
        """Let these be the facts of some files. Returns the files whose relations may be others than before.

        None = that cannot be said: all files must be resolved again, by another one.
        """


class Staged(Divided, Protocol):
    """A divided resolver that finds all relations except calls quickly; its module says so with `STAGED = True`."""

    def structure(self) -> Resolution:
        """The part of `relate`, for all files, that depends on names alone: inheritance."""


class DividedResolver(Protocol):
    """Interface of a slow resolver module, in place of `Resolver`."""

    def divided(self, folder: Folder, facts: Mapping[int, FileFacts]) -> Divided:
        """The files in `facts` (by row of `folder.paths`), all of this family; quick."""


_COBOL = (".cbl", ".cob", ".cobol", ".cpy", ".copy", ".pco", ".ccp", ".cpb", ".sqb", ".cblle", ".cpyle")

LANGUAGES = (
    Language("C", (".c",), ".c.reader", ".c.names"),
    Language("C or C++", (".h", ".inc"), ".c.reader", ".c.names"),  # its reader decides which of the two by the content
    Language(
        "C++",
        (
            ".cc",
            ".cpp",
            ".cxx",
            ".c++",
            ".C",
            ".hh",
            ".hpp",
            ".hxx",
            ".h++",
            ".H",
            ".inl",
            ".ipp",
            ".tpp",
            ".txx",
            ".ixx",
            ".cppm",
            ".cu",
            ".cuh",
        ),
        ".c.reader",
        ".c.names",
    ),
    Language("COBOL", (*_COBOL, *map(str.upper, _COBOL)), ".cobol.reader", ".cobol.names"),
    Language("C#", (".cs",), ".csharp", ".csharp"),
    Language("Go", (".go",), ".go.reader", ".go.names"),
    Language("Kotlin", (".kt", ".kts"), ".kotlin", ".kotlin"),
    Language("PHP", (".php", ".phtml"), ".php", ".php"),
    Language("Java", (".java",), ".java.reader", ".java.names"),
    Language("JavaScript", (".js", ".mjs", ".cjs", ".jsx"), ".javascript.reader", ".javascript.names"),
    Language("Python", (".py", ".pyw", ".pyi"), ".python.reader", ".python.names"),
    Language("Ruby", (".rb", ".rake", ".gemspec"), ".ruby", ".ruby"),
    Language("Rust", (".rs",), ".rust", ".rust"),
    Language("Scala", (".scala", ".sc"), ".scala", ".scala"),
    Language("Swift", (".swift",), ".swift", ".swift"),
    Language("TypeScript", (".ts", ".mts", ".cts", ".tsx"), ".javascript.typescript", ".javascript.names"),
)

C_FAMILY = ".c.names"  # the resolver of C and C++
HEADER = next(language for language in LANGUAGES if language.name == "C++")  # language of a header without a suffix
_OF_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """The language by the file's name; None = not read in depth."""
    dot = path.rfind(".", path.rfind("/") + 1)
    return _OF_SUFFIX.get(path[dot:]) if dot >= 0 else None


def reader(name: str) -> Reader:
    """The reader module called `name` (a `Language.reader`)."""
    return cast(Reader, import_module(name, __name__))


def resolver(name: str) -> Resolver | DividedResolver:
    """The resolver module called `name` (a `Language.resolver`)."""
    return cast(Resolver | DividedResolver, import_module(name, __name__))
