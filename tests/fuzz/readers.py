"""What is done with an input: read, and if it reads, written and read again. Only InputError may refuse it."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from cbvtool.errors import InputError
from tests.fuzz.trace_inputs import COVERAGE_INPUTS, TRACE_INPUTS

EACH = 8


class NotTheSame(Exception):
    """What was written and read again is something else."""


def graph(path: Path) -> None:
    """A graph file of any format: it goes through our JSON unchanged, and its own format takes it back."""
    from cbvtool.formats import read_graph, write_graph
    from tests.graph.compare import difference

    found, history = read_graph(path)
    again = path.with_name("again.json")
    try:
        write_graph(found, again, history)
        copy, _ = read_graph(again)
        if lines := difference(found, copy):
            raise NotTheSame(str(lines[:3])[:500])
        if path.suffix not in (".json", ".gxl", ".scip"):
            own = path.with_name(f"own{path.suffix}")
            write_graph(found, own)
            read_graph(own)
    except InputError as error:  # what was read once can be written and read
        raise NotTheSame(str(error)) from error


def document(path: Path) -> None:
    """A `.cbv` document: written and read again it is the same."""
    from cbvtool.plan.document import read_document, write_document

    found = read_document(path)
    again = path.with_name("again.cbv")
    write_document(found, again)
    if read_document(again) != found:
        raise NotTheSame("another document")


@cache
def _project(folder: Path):  # of cbvtool.project, which takes long to import
    from cbvtool.project import Project
    from tests.formats.test_registry import example

    found = example()
    return Project(folder, found.name, found, None, "", "folder")


def views(path: Path) -> None:
    """The view and the named views of a document: opened in a session, shown, and saved again."""
    from cbvtool.plan.document import read_document
    from cbvtool.session import Session

    document_ = read_document(path)
    session = Session()
    session.open(_project(path.parent), document_, path)
    for named in session.named:
        session.show_named(named)
    session.save(path.with_name("again.cbv"))
    again = read_document(path.with_name("again.cbv"))
    if [view["name"] for view in again.view.get("named", [])] != [view.name for view in session.named]:
        raise NotTheSame("other named views")


def recovery(path: Path) -> None:
    """An unsaved copy in the user's data folder."""
    from cbvtool.plan.recovery import discard_copy, list_copies, name_of_copy

    opened, folder = path.parent / "subject", path.parent / "recovery"
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / name_of_copy(opened, "0" * 12, 1))
    found = list_copies(folder)
    if len(found) != 1:
        raise NotTheSame("the unsaved copy is not found")
    discard_copy(found[0])
    if found[0].document is None:
        raise InputError(found[0].fault)


def toml(path: Path) -> None:
    """`cbvtool.toml`: what it says about the analysis, and the rules."""
    from cbvtool.analysis.settings import read_settings
    from cbvtool.config import FILE_NAME
    from cbvtool.rules.rules_file import read_rules

    shutil.copy(path, path.with_name(FILE_NAME))
    read_settings(path.parent)  # raises nothing: a mistake of others is a note
    read_settings(path.parent, path)
    read_rules(path.parent)


def table(path: Path) -> None:
    """A hierarchy as a table of the user's."""
    from cbvtool.hierarchies import hierarchy

    found = hierarchy(_project(path.parent).graph, None, f"csv:{path}")
    if not len(found.graph.tree.order):
        raise NotTheSame("nothing is left")


def settings(path: Path) -> None:
    """The settings of the window: whatever the file holds, each has a value of its type."""
    from qtpy.QtCore import QByteArray, QSettings

    from cbvtool.view.commands.styles import read_styles
    from cbvtool.view.toolkit.settings import Settings

    found = Settings(QSettings(str(path), QSettings.Format.IniFormat))
    types = {
        "recent": list,
        "folder": Path,
        "theme": str,
        "styles": str,
        "minimap": bool,
        "shortcuts": dict,
        "editor": str,
        "label_size": float,
        "searches": list,
        "geometry": (QByteArray, type(None)),
        "docks": (QByteArray, type(None)),
    }
    for name, sort in types.items():
        if not isinstance(getattr(found, name), sort):
            raise NotTheSame(f"{name} is {getattr(found, name)!r}")
    read_styles(found.styles)


@cache
def _warm() -> None:
    """Compile the kernels, which takes longer than an input may, and more memory."""
    from cbvtool.trace.making.checking import faults
    from cbvtool.trace.making.flat import flat_figures
    from tests.trace.seeded import made_trace

    for seed in range(5):
        trace = made_trace(seed)
        faults(trace)
        flat_figures(trace)


def trace(path: Path) -> None:
    """A trace: it is one by the words of the model and has figures; one in `EACH` goes through our own folder."""
    from cbvtool.trace.making.checking import faults
    from cbvtool.trace.making.flat import flat_figures, flat_of_profile
    from cbvtool.trace.making.summary import summary
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.readers.registry import read_traces
    from cbvtool.trace.store.folder import open_folder, write_folder
    from tests.trace.seeded import same

    _warm()
    given, again = path, path.with_name("again")
    # Our folder takes two thirds of the time; which inputs go through it hangs on their bytes alone.
    kept = zlib.crc32(path.read_bytes()) % EACH == 0
    if path.suffix == ".zip":
        given = path.with_name("given")
        shutil.rmtree(given, ignore_errors=True)
        given.mkdir()
        if path.stat().st_size:
            with zipfile.ZipFile(path) as archive:
                archive.extractall(given)
    for part in read_traces(given):
        summary(part)
        if isinstance(part, Trace):
            if fault := faults(part):
                raise NotTheSame(fault)
            flat_figures(part)
        else:
            flat_of_profile(part)
        if not kept:
            continue
        try:
            write_folder(again, part)
            copy = open_folder(again)
        except InputError as error:
            raise NotTheSame(str(error)) from error
        if fault := same(part, copy):
            raise NotTheSame(fault[:500])


def coverage(path: Path) -> None:
    """A coverage report of any format."""
    from cbvtool.trace.coverage.read_coverage import read_coverage

    read_coverage(path)


READERS: dict[str, Callable[[Path], None]] = {
    **dict.fromkeys(("json", "graphml", "dot", "gxl", "csv", "rsf", "scip"), graph),
    "document": document,
    "views": views,
    "recovery": recovery,
    "toml": toml,
    "table": table,
    "settings": settings,
    **dict.fromkeys(TRACE_INPUTS, trace),
    **dict.fromkeys(COVERAGE_INPUTS, coverage),
}


def tried(reader: str, path: Path) -> str:
    """Read the file: `read` or `refused`. Raises what the reader must not, and for a sentence that is none."""
    try:
        READERS[reader](path)
    except InputError as error:
        sentence = str(error)
        if not sentence.endswith((".", "?")) or "\n" in sentence or len(sentence) > 3_000:
            raise NotTheSame(f"no sentence: {sentence[:300]!r}") from error
        return "refused"
    return "read"
