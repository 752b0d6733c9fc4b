"""A plan whose subject is not where it was: where it probably is now, judged by its history and its content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from cbvtool.mining import has_commit
from cbvtool.plan.document import Document
from cbvtool.plan.operations import nodes_of

MOST_LOOKED_AT = 60  # folders
MOST_NAMED = 200  # paths that are compared
MOST_COMMITS = 5  # of plans, that a repository is asked for
SAME = 0.5  # share of the named paths that must be there
_STEPS_UP = 3  # how far above the document is looked


def find_subject(document: Document, file: Path, recent: Sequence[Path] = ()) -> Path | None:
    """Where the subject of the document `file` is, if not where the document says; None = it was not found.

    Looked at are folders near the document and the `recent` subjects with what lies beside them. One with the name of
    the subject, or that is the document's own folder, is taken when most of what the document names is there, or when
    its repository holds the commit of a plan. One with another name needs both. Of a saved graph the name is enough.
    """
    named = list(islice(_named(document), MOST_NAMED))
    for place in islice(_places(document, file, recent), MOST_LOOKED_AT):
        if document.subject.suffix and place.is_file() and place.name == document.subject.name:
            return place
        if place.is_dir() and _is_it(document, place, named):
            return place
    return None


def located(document: Document, file: Path, recent: Sequence[Path] = ()) -> tuple[Document | None, str]:
    """(the document with its subject where that is now, a sentence if that is another place); None = it was not found.

    See `find_subject` for the parameters. Nothing is written.
    """
    if document.subject.exists():
        return document, ""
    found = find_subject(document, file, recent)
    if found is None:
        return None, ""
    return replace(document, subject=found), f"{document.name} is now at {found}: save the plan to remember that."


def is_it(document: Document, place: Path) -> bool:
    """Whether a folder is the subject of the document in another place, judged as `find_subject` does."""
    return place.is_dir() and _is_it(document, place, list(islice(_named(document), MOST_NAMED)))


def _is_it(document: Document, place: Path, named: Sequence[str]) -> bool:
    there = sum((place / path).exists() for path in named) if named else 0
    alike = bool(named) and there >= SAME * len(named)
    called = place.name == document.subject.name
    if called and alike:
        return True
    if not called and not alike:
        return False
    return any(has_commit(place, commit) for commit in document.commits[:MOST_COMMITS])


def _places(document: Document, file: Path, recent: Sequence[Path]) -> Iterator[Path]:
    """Where the subject might be, each once, the likeliest first."""
    name = document.subject.name
    near = [file.absolute().parent, *islice(file.absolute().parents, 1, _STEPS_UP)]
    seen: set[Path] = {document.subject}
    candidates = (
        *(folder / name for folder in near),
        *near,
        *(path for path in recent if path.name == name),
        *(path.parent / name for path in recent),
        document.subject.parent.parent / name,
        *recent,
        *_folders_in(near[0]),
        *_folders_in(document.subject.parent),
    )
    for place in candidates:
        if place not in seen:
            seen.add(place)
            yield place


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_dir())[:MOST_LOOKED_AT]
    except OSError:
        return []


def _named(document: Document) -> Iterator[str]:
    """Paths of files and folders that the plans and the view name, each once."""
    operations = (o for plan in document.plans for group in (*plan.done, *plan.undone) for o in group.operations)
    ids = [nodes_of(operation) for operation in operations]
    seen = {"", "."}
    for node in _strings([ids, *(document.view.get(name) for name in ("root", "expanded", "hidden"))]):
        path = node.partition("::")[0].rstrip("/")
        if path not in seen and not path.startswith(("plan:", "external:", "/")) and ".." not in path.split("/"):
            seen.add(path)
            yield path


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, list | tuple):
        for item in data:
            yield from _strings(item)
