"""From a folder to its graph: list, read, resolve, build."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.analysis.facts import FileFacts, Relation
from cbvtool.analysis.languages import LANGUAGES, language_of, resolver
from cbvtool.analysis.pool import Task, read_all
from cbvtool.analysis.walk import FoundFile, LeftOut, Listing, readable, reason_of, walk
from cbvtool.errors import InputError
from cbvtool.progress import Progress, silent

if TYPE_CHECKING:
    from cbvtool.graph import Graph


def analyze_folder(path: Path, jobs: int | None = None, progress: Progress = silent) -> Graph:
    """See `cbvtool.analysis.analyze`."""
    root = existing_folder(path)
    listing = walk(root, progress)
    if not listing.files:
        raise InputError(_nothing_in(root, listing))
    languages = [language_of(file.path) for file in listing.files]
    rows = [row for row, language in enumerate(languages) if language is not None]
    tasks = [
        Task(os.path.join(root, file.path), language.reader, file.size)
        for file, language in zip(listing.files, languages, strict=True)
        if language is not None
    ]
    facts: dict[int, FileFacts] = {}
    left_out = list(listing.left_out)
    for row, result in zip(rows, read_all(tasks, jobs, progress), strict=True):
        if isinstance(result, str):
            left_out.append(LeftOut(listing.files[row].id, result))
        else:
            facts[row] = result
    relations, notes = _resolve(root, listing.files, facts, progress)
    if not rows:
        names = " or ".join(language.name for language in LANGUAGES)
        notes.append(f"No {names} source in {readable(root.name)!r}: its files are shown with their size alone.")

    from cbvtool.analysis.build import build_graph  # NumPy loads here, while workers would wait for it above

    progress("Building the graph", 0, 0)
    return build_graph(readable(root.name), listing.files, facts, relations, sorted(left_out), listing.notes() + notes)


def existing_folder(path: Path) -> Path:
    """`path` without symbolic links; raises InputError when it is no folder."""
    shown = readable(os.fspath(path))
    try:
        root = Path(os.path.realpath(path, strict=True))
        is_folder = root.is_dir()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise InputError(f"There is no folder {shown!r}.") from error
        raise InputError(f"The folder {shown!r} cannot be opened: {reason_of(error)}.") from error
    if not is_folder:
        raise InputError(f"{shown!r} is a file, not a folder.")
    return root


def _nothing_in(root: Path, listing: Listing) -> str:
    shown = readable(os.fspath(root))
    notes = listing.notes() + [f"{name!r} {reason}." for name, reason in listing.left_out[:3]]
    if not notes:
        return f"The folder {shown!r} holds no files."
    return f"The folder {shown!r} holds no files to analyse: " + " ".join(notes)


def _resolve(
    root: Path, files: list[FoundFile], facts: dict[int, FileFacts], progress: Progress
) -> tuple[list[Relation], list[str]]:
    """Relations of all languages, each family by its own resolver."""
    relations: list[Relation] = []
    notes: list[str] = []
    paths = [file.path for file in files]
    for name in dict.fromkeys(language.resolver for language in LANGUAGES):
        progress("Resolving imports", 0, 0)
        own = {
            row: found for row, found in facts.items()
            if (language := language_of(paths[row])) is not None and language.resolver == name
        }  # fmt: skip
        if own:
            resolution = resolver(name).resolve(packages_above(root), paths, own)
            relations += resolution.relations
            notes += resolution.notes
    return relations, notes


def packages_above(root: Path) -> tuple[str, ...]:
    """Names of the Python packages that `root` is (last) and lies in; its own name alone when it is none.

    Somebody may open the folder of a package itself; its files still import each other by full names.
    """
    names = [root.name]
    folder = root
    while (folder / "__init__.py").is_file() and (folder.parent / "__init__.py").is_file():
        folder = folder.parent
        names.append(folder.name)
    return tuple(reversed(names))
