"""The user's settings about the code: section `[analysis]` of `cbvtool.toml`. All are optional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cbvtool.analysis.patterns import Patterns
from cbvtool.config import FILE_NAME, leads_out, list_of, own_text, section_of, shown, text_of, unknown_keys
from cbvtool.errors import InputError

# Patterns of generated files, by the names that generators use.
GENERATED = (
    "*_pb2.py",
    "*_pb2.pyi",
    "*_pb2_grpc.py",
    "*.pb.go",
    "*.pb.h",
    "*.pb.c",
    "*.pb.cc",
    "*.pb.cpp",
    "*.min.js",
    "*.min.mjs",
    "*.bundle.js",
    "*.g.cs",
    "*.g.i.cs",
    "*.designer.cs",
    "*.Designer.cs",
    "zz_generated*.go",
    "moc_*.cpp",
    "qrc_*.cpp",
    "ui_*.h",
)
# Patterns of vendored code, by common names of folders.
VENDORED = (
    "vendor/",
    "vendored/",
    "_vendor/",
    "_vendored/",
    "third_party/",
    "third-party/",
    "thirdparty/",
    "ThirdParty/",
    "3rdparty/",
    "3rd-party/",
    "3rd_party/",
    "Godeps/",
    "Pods/",
    "Carthage/",
    # A package of that name is the project's own, as in Spring.
    "!**/java/**/vendor/",
    "!**/kotlin/**/vendor/",
    "!**/scala/**/vendor/",
    "!**/groovy/**/vendor/",
)
TESTS = (
    "test/",
    "tests/",
    "Test/",
    "Tests/",
    "testdata/",
    "unittest/",
    "unittests/",
    "__tests__/",
    "spec/",
    "specs/",
    "test_*.py",
    "*_test.py",
    "conftest.py",
    "*_test.go",
    "*Test.java",
    "*Tests.java",
    "*Test.kt",
    "*Tests.cs",
    "*.test.*",
    "*.spec.*",
    "*_test.c",
    "*_test.cc",
    "*_test.cpp",
    "*_unittest.cc",
    "*_unittest.cpp",
    "*_spec.rb",
    "*_test.rb",
    "*Test.php",
    "*Tests.swift",
    "*Test.scala",
    "*Spec.scala",
)

_PATTERNS = ("exclude", "generated", "vendored", "tests", "entry_points")
_FOLDERS = ("include_paths", "source_roots")
# Own value of a file -> setting whose patterns select the files.
MARKS = {"test": "tests", "generated": "generated", "vendored": "vendored"}
_MOST = 1000  # most entries of one list
MOST_CONFIGURATIONS = 16


@dataclass(frozen=True)
class AnalysisSettings:
    """How a folder is to be analysed. Patterns are those of a .gitignore, relative to the root.

    exclude        files and folders that are left out
    generated      files that a program wrote; they are marked
    vendored       copies of other people's code; they are marked
    tests          files that are tests; they are marked
    entry_points   files that are used from outside, and so are not unused
    configurations name -> everything that is used from outside in that configuration
    include_paths  folders in which included files are looked for, relative to the root
    source_roots   folders in which packages begin, relative to the root
    notes          one sentence each about what was not understood, and ignored
    """

    exclude: tuple[str, ...] = ()
    generated: tuple[str, ...] = GENERATED
    vendored: tuple[str, ...] = VENDORED
    tests: tuple[str, ...] = TESTS
    entry_points: tuple[str, ...] = ()
    configurations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    include_paths: tuple[str, ...] = ()
    source_roots: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_settings(root: Path, config: Path | None = None) -> AnalysisSettings:
    """The settings in the file `config`, else those in the repository's own `cbvtool.toml`.

    Raises InputError for an invalid `config`. An invalid file of the repository only causes a note, so that a mistake
    of other people prevents nobody from looking at their code.
    """
    if config is not None:
        return parse_settings(text_of(config), str(config))
    try:
        text = own_text(root)
        return AnalysisSettings() if text is None else parse_settings(text)
    except InputError as error:
        return AnalysisSettings(notes=(f"{error} What it says about the analysis is ignored.",))


def parse_settings(text: str, name: str = FILE_NAME) -> AnalysisSettings:
    """The settings in the text of a `cbvtool.toml`; `name` is used in messages. Raises InputError."""
    section = section_of(text, "analysis", name)
    said: dict[str, Any] = {}
    for key in section:
        if key in _PATTERNS + _FOLDERS:
            check = _pattern if key in _PATTERNS else _folder
            entries = list_of(section[key], f"analysis.{key}", name)
            if len(entries) > _MOST:
                raise InputError(f"{name}: analysis.{key} has {len(entries):,} entries, more than {_MOST:,}.")
            said[key] = tuple(check(entry, f"analysis.{key}[{i}]", name) for i, entry in enumerate(entries))
    if "configurations" in section:
        said["configurations"] = _configurations(section["configurations"], name)
    known = (*_PATTERNS, *_FOLDERS, "configurations")
    return AnalysisSettings(**said, notes=tuple(unknown_keys(section, known, "analysis", name)))


def _configurations(value: Any, name: str) -> dict[str, tuple[str, ...]]:
    where = "analysis.configurations"
    if not isinstance(value, dict) or not value:
        raise InputError(f"{name}: {where} must be a table of names with lists of patterns, not {shown(value)}.")
    if len(value) > MOST_CONFIGURATIONS:
        raise InputError(f"{name}: {where} has {len(value):,} entries, more than {MOST_CONFIGURATIONS:,}.")
    found: dict[str, tuple[str, ...]] = {}
    for key, patterns in value.items():
        entries = list_of(patterns, f"{where}.{key}", name)
        if not 0 < len(entries) <= _MOST:
            raise InputError(f"{name}: {where}.{key} must name between 1 and {_MOST:,} patterns.")
        found[key] = tuple(_pattern(entry, f"{where}.{key}[{i}]", name) for i, entry in enumerate(entries))
    return found


def _pattern(value: Any, where: str, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{name}: {where} must be a pattern such as in a .gitignore, not {shown(value)}.")
    if ".." in value.split("/"):
        raise InputError(f"{name}: {where} must lie inside the repository, {shown(value)} does not.")
    try:
        if (patterns := Patterns((value,))).refused:
            raise ValueError(patterns.refused[0])
    except ValueError:
        raise InputError(f"{name}: {where} is not a pattern such as in a .gitignore: {shown(value)}.") from None
    return value


def _folder(value: Any, where: str, name: str) -> str:
    """A path in the form for resolvers: without `./` and a last `/`; the root itself is empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{name}: {where} must be the path of a folder, not {shown(value)}.")
    if leads_out(value):
        raise InputError(f"{name}: {where} must lie inside the repository, {shown(value)} does not.")
    return "/".join(part for part in value.split("/") if part not in ("", "."))
