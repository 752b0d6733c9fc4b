"""The languages that are read in depth. Adding one means one file here, one corpus folder, one row below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, cast, runtime_checkable

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.resolution import Folder, Resolution


class Language(NamedTuple):
    """A language by name; its modules are imported only where and when they are needed.

    reader    module (a dot in front: of this package) with `read_facts` and `read_imports`, run in worker processes
    resolver  module with `resolve` or `divided`, for all files of its family together; may be the same
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    resolver: str


class Reader(Protocol):
    """What a language's reader module offers. `data`: the file's bytes as on disk; `name`: its name with the suffix."""

    def read_facts(self, data: bytes, name: str = "") -> FileFacts:
        """All facts of one file; raises `Unreadable`."""

    def read_imports(self, data: bytes, name: str = "") -> FileFacts:
        """Its imports and lines alone, many times faster, for a first picture; raises `Unreadable`."""


class Offering(Protocol):
    """What a reader module offers beside, where the resolver is divided: see `analysis.again`."""

    def offered(self, found: FileFacts) -> FileFacts:
        """All of the facts that `Divided.relate` reads for other files; the less, the less has to be done again."""


class Resolver(Protocol):
    """What a language family's resolver module offers."""

    def resolve(self, folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
        """Relations between the files and definitions of `facts` (by row of `folder.paths`), of this family alone."""


class Divided(Protocol):
    """The files of one language family, of which much can be resolved for some files at a time."""

    def rest(self) -> Resolution:
        """The relations that do not belong to a single file; quick."""

    def relate(self, files: Sequence[int]) -> Resolution:
        """What is said in `files`, the same whatever was asked before (see `analysis.dividing`).

        It follows from the folder but for `read`, all facts of `files`, and what others offer (see `Offering`).
        """


@runtime_checkable
class Prepared(Divided, Protocol):
    """One that takes long to work out what all files have in common; that is kept as long as they offer the same."""

    def share(self, files: Sequence[int], known: Sequence[bytes]) -> bytes:
        """What `files` add to it, given what all of the files added in the rounds before; empty = nothing new.

        The rounds are over when no files add anything (see `analysis.dividing`).
        """

    def prepared(self) -> bytes:
        """All of it, worked out here as far as `prepare` did not tell."""

    def prepare(self, known: Sequence[bytes], whole: bool = True) -> None:
        """Before the first `relate`: this was `prepared` by another one, or shared, and is the `whole` of it or not."""


class Staged(Divided, Protocol):
    """One whose relations but for calls are quick to find; its resolver module says so with `STAGED = True`."""

    def structure(self) -> Resolution:
        """What of `relate`, for all files, follows from names alone: inheritance."""


class DividedResolver(Protocol):
    """What a language family's resolver module offers instead where resolving takes long."""

    def divided(self, folder: Folder, facts: Mapping[int, FileFacts]) -> Divided:
        """The files in `facts` (by row of `folder.paths`), of this family alone; quick."""


_COBOL = (".cbl", ".cob", ".cobol", ".cpy", ".copy", ".pco", ".ccp", ".cpb", ".sqb", ".cblle", ".cpyle")

LANGUAGES = (
    Language("C", (".c",), ".c.reader", ".c.names"),
    Language("C or C++", (".h", ".inc"), ".c.reader", ".c.names"),  # the reader looks inside
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
HEADER = next(language for language in LANGUAGES if language.name == "C++")  # of a header without a suffix
_OF_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """The language that the file name stands for; None = not read in depth."""
    dot = path.rfind(".", path.rfind("/") + 1)
    return _OF_SUFFIX.get(path[dot:]) if dot >= 0 else None


def reader(name: str) -> Reader:
    """The reader module called `name` (a `Language.reader`)."""
    return cast(Reader, import_module(name, __name__))


def resolver(name: str) -> Resolver | DividedResolver:
    """The resolver module called `name` (a `Language.resolver`)."""
    return cast(Resolver | DividedResolver, import_module(name, __name__))
