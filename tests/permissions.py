"""What a file may do that no import tells: open files, start programs, run text, import late or by name.

The contracts in pyproject.toml see imports. `open`, `Path.read_text`, `os.system` and `eval` need none of their own,
and an import inside a function looks like any other. So this reads the syntax tree: each use needs a permission in
PERMISSIONS, with its reason, and a new file has none. tests/test_architecture.py runs it and plants uses that it must
find.

It is a guard against habits, not against malice: `getattr(os, name)` with a computed name passes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

OPEN = "opens files"
NET = "reaches the network"
RUN = "starts programs"
TEXT = "runs text as code"
NAME = "imports by name"
LATE = "imports inside a function"
SLOW = "loads a slow library at once"
UPWARD = "names a module of a higher room"


class Use(NamedTuple):
    """What a file does: `kind` is one of the above, `name` what it calls or imports."""

    file: str
    line: int
    kind: str
    name: str


# Libraries that take long to load (SciPy 0.3 s), or that few runs need: never at the head of a file, but for types.
SLOW_LIBRARIES = {
    "arabic_reshaper",
    "bidi",
    "clang",
    "distributed",
    "git",
    "networkx",
    "numba",
    "pandas",
    "pathspec",
    "psutil",
    "pyarrow",
    "pygments",
    "rapidfuzz",
    "reportlab",
    "scipy",
}

# By their full names: `from os import system as run` and `import os as o; o.system` are both `os.system`.
_FULL = {
    OPEN: r"open|(io|codecs|os|gzip|bz2|lzma|tarfile|shelve|dbm|builtins)\.open|io\.(open_code|FileIO)|os\.fdopen"
    r"|sqlite3\.connect|zipfile\.ZipFile|gzip\.GzipFile|tempfile\..*|PIL\.Image\.open"
    r"|numpy\.(load|loadtxt|genfromtxt|fromfile|memmap|savez?|savez_compressed|savetxt)"
    r"|qtpy\.QtCore\.(QFile|QSaveFile|QTemporaryFile|QTemporaryDir)",
    RUN: r"os\.(system|popen|startfile|fork|forkpty|posix_spawnp?|exec[lv]p?e?|spawn[lv]p?e?)|subprocess\.\w+"
    r"|qtpy\.QtCore\.QProcess|qtpy\.QtGui\.QDesktopServices",
    NET: r"urllib\.(request|robotparser)(\..*)?|qtpy\.QtNetwork.*",
    TEXT: r"(builtins\.)?(eval|exec|compile)|code\..*|pickle\.(load|loads|Unpickler)|marshal\.loads?",
    NAME: r"(builtins\.)?__import__|importlib\.(import_module|reload|__import__|util|machinery)(\..*)?"
    r"|importlib\.metadata\.entry_points|pkgutil\..*|runpy\..*|sys\.modules",
}
# Methods, whatever they are called on.
_METHODS = {
    OPEN: r"open|read_text|read_bytes|write_text|write_bytes|tofile",
    NAME: r"exec_module|load_module|import_module",
}
_BUILTINS = {"open", "eval", "exec", "compile", "__import__"}
# Whose `open` opens no file: things of ours. A new one with such a method adds its name here.
_OURS = {
    "self",
    "session",
    "_session",
    "opener",
    "flight",
    "window",
    "opening",
    "documents",
    "button",
    "waits",
    "pairs",
    "longest",
}


def uses(text: str, file: str, levels: Mapping[str, int] | None = None) -> Iterator[Use]:
    """What the Python source `text` does that needs a permission.

    levels   room of cbvtool -> its layer, the lowest 0; rooms that are not in it are not judged
    """
    tree = ast.parse(text)
    full: dict[str, str] = {}  # a name in this file -> what it was imported as
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                full[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            full |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in nodes:
        for kind, name in (*_called(node, full), *_named(node, file, levels or {})):
            yield Use(file, getattr(node, "lineno", 0), kind, name)
    for node, name, late in _imports(tree, False):
        if late:
            yield Use(file, node.lineno, LATE, name)
        elif name.partition(".")[0] in SLOW_LIBRARIES:
            yield Use(file, node.lineno, SLOW, name)


def _called(node: ast.AST, full: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(kind, name) of a function that `node` names. Naming is enough: `map(open, paths)` calls it, too."""
    if isinstance(node, ast.ImportFrom) and not node.level:
        for alias in node.names:
            yield from _full(f"{node.module}.{alias.name}")
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in _BUILTINS and node.id not in full:
            yield from _full(node.id)
    elif isinstance(node, ast.Attribute):
        yield from _attribute(node.value, node.attr, full)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and len(node.args) > 1
    ):
        name = node.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield from _attribute(node.args[0], name.value, full)


def _attribute(value: ast.expr, name: str, full: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    receiver = _dotted(value)
    first, dot, rest = receiver.partition(".")
    if first in full and (found := _full(f"{full[first]}{dot}{rest}.{name}")):
        yield from found
        return
    if not (name == "open" and receiver.rpartition(".")[2] in _OURS):
        yield from _method(name)


def _dotted(value: ast.expr) -> str:
    """`a.b.c` as text; of `f(x).b.c` as `.b.c`."""
    if isinstance(value, ast.Attribute):
        return f"{_dotted(value.value)}.{value.attr}"
    return value.id if isinstance(value, ast.Name) else ""


@cache
def _full(name: str) -> list[tuple[str, str]]:
    return [(kind, name) for kind, pattern in _FULL.items() if re.fullmatch(pattern, name)]


@cache
def _method(name: str) -> list[tuple[str, str]]:
    return [(kind, name) for kind, pattern in _METHODS.items() if re.fullmatch(pattern, name)]


def _named(node: ast.AST, file: str, levels: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """The dotted name of a module of a higher room in a text: `import_module("cbvtool.view")` passes every contract."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"cbvtool(\.\w+)+", node.value):
        here, there = file.removesuffix(".py").partition("/")[0], node.value.split(".")[1]
        if here == "plugins" or levels.get(there, -1) > levels.get(here, len(levels)):
            yield UPWARD, node.value


def _imports(tree: ast.AST, late: bool) -> Iterator[tuple[ast.stmt, str, bool]]:
    """(statement, module, whether inside a function) of each import that happens: not of those for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node, f"{'.' * node.level}{node.module or ''}", late
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from (found for other in node.orelse for found in _imports(other, late))
        elif not isinstance(node, ast.expr):
            yield from _imports(node, late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def source_files(root: Path) -> dict[str, Path]:
    """Name in PERMISSIONS -> file, for all of `src/cbvtool` and `plugins` below the folder `root`."""
    package = root / "src" / "cbvtool"
    files = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    return files | {path.relative_to(root).as_posix(): path for path in (root / "plugins").rglob("*.py")}


def all_uses(root: Path, levels: Mapping[str, int], only: Container[str] | None = None) -> list[Use]:
    """What the files of the project in the folder `root` do that needs a permission.

    only   the names of those files that are looked at; None = all
    """
    files = sorted((name, path) for name, path in source_files(root).items() if only is None or name in only)
    return [use for name, path in files for use in uses(path.read_text(encoding="utf-8"), name, levels)]


def permission(use: Use) -> str | None:
    """The entry of PERMISSIONS that allows it, a file or a folder; None if there is none."""
    allowed = PERMISSIONS.get(use.kind, {})
    return next(
        (place for place in allowed if use.file == place or (place[-1] == "/" and use.file.startswith(place))), None
    )


def without_permission(found: Iterable[Use]) -> list[str]:
    """One line for each use that nobody allowed."""
    return [f"{use.file}:{use.line} {use.kind}: {use.name}" for use in found if permission(use) is None]


def unused_permissions(found: Iterable[Use]) -> list[tuple[str, str]]:
    """(kind, file or folder) of what is allowed in PERMISSIONS and not among what was `found`."""
    used = {(use.kind, permission(use)) for use in found}
    return [(kind, place) for kind, places in PERMISSIONS.items() for place in places if (kind, place) not in used]


# kind -> file or folder/ below src/cbvtool (or in plugins/) -> why it may.
PERMISSIONS: dict[str, dict[str, str]] = {
    OPEN: {
        "regular_file.py": "the one place that opens files for reading: never a pipe, never without a limit",
        "formats/atomic.py": "the one place that saves",
        "apply/confined.py": "names to the system the places that it may write to, without reading them",
        "apply/trial.py": "a home folder for code of the user's project, which is removed",
        "formats/content.py": "unpacks a graph file that is open",
        "trace/making/event_store.py": "events of traces that are larger than memory, in a file without a name",
        "trace/readers/source.py": "traces may be packed",
        "trace/store/writing.py": "packs a trace that is being saved",
        "trace/store/columns.py": "maps a column of a trace that `regular_file.opened` has opened",
        "trace/record/recorder.py": "runs in the program that is recorded, and writes what it sees",
        "trace/record/attended.py": "receives what a program writes that is recorded",
        "trace/record/interleaved.py": "a temporary folder for the compiled modules of each version that is recorded",
        "formats/registry.py": "packs a graph file that is being saved",
        "analysis/cache.py": "the cache is a database; its key is a digest of our own sources",
        "analysis/cost.py": "what a worker costs stands in /proc",
        "analysis/dividing.py": "hands facts to worker processes, in a temporary folder",
        "analysis/languages/c/clang.py": "silences libclang: the null device takes the place of stderr",
        "analysis/workers.py": "the null device takes the place of the process that tracks shared memory",
        "cli/streams.py": "the null device takes the place of closed standard streams",
        "export/html.py": "the script and style of a page, which are part of the program",
        "report/page.py": "the style of a report, which is part of the program",
        "trace/making/roles.py": "the table of what functions do to objects, which is part of the program",
        "mining/processes.py": "what git costs stands in /proc",
        "mining/scratch.py": "copies new objects and one reference into the repository, for a new branch",
        "mining/versions.py": "lays the files of a commit into the folder of the temporary repository",
        "mining/view_repository.py": "makes the temporary repository that git is asked in",
        "plan/process_lock.py": "lock files, which hold nothing",
    },
    RUN: {
        "mining/processes.py": "the one place that starts git, and ends it",
        "mining/view_repository.py": "how git is started: the type of the process that GitPython gives",
        "apply/confined.py": "becomes such a program, once it is confined",
        "apply/sandbox.py": "tries out what keeps such programs from network and files",
        "apply/trial.py": "on consent: imports the modules of a result, and runs its tests by a command of the user",
        "trace/record/launch.py": "starts programs to record them",
        "trace/record/attended.py": "the same for the window, on request: the user types the command",
        "view/commands/editor.py": "shows a file in the user's editor, on request",
        "view/commands/help/guide.py": "opens a link of the guide in the system's browser, on request",
    },
    TEXT: {
        "analysis/dividing.py": "reads the facts that another process of ours has pickled",
        "apply/source.py": "compiles a changed file to see that Python takes it; what is compiled is never run",
    },
    NAME: {
        "analysis/cluster.py": "Dask is an extra that may be missing",
        "analysis/dividing.py": "loads NumPy while the workers work",
        "analysis/languages/__init__.py": "a worker loads the grammars that it needs, and no other",
        "analysis/languages/c/clang.py": "looks whether libclang is there, without loading it",
        "analysis/workers.py": "a worker must not run the user's own main program again",
        "drawing/pillow_painter.py": "looks for the fonts of matplotlib, without loading it",
        "extensions.py": "the one place that loads plugins",
        "trace/record/recorder.py": "looks which modules the program that is recorded has loaded",
        "view/commands/linking.py": "versions of libraries, for the report of a fault",
        "view/toolkit/display.py": "sees whether Qt can be loaded",
        "view/window/opening.py": "loads the renderer in a thread, when the window is there",
        "view/window/sample.py": "runs the script that makes the sample project",
        "view/window/second_view.py": "the renderer, loaded by then",
    },
    LATE: {
        "__init__.py": "what the front door of the library offers is looked up when it is asked for",
        "analysis/__init__.py": "workers import the package, but not what divides the work among them",
        "analysis/attended.py": "ctypes is seldom needed",
        "analysis/cache.py": "workers import it for `fingerprint`; only the main process needs more",
        "analysis/cost.py": "psutil is for macOS and Windows",
        "analysis/crew.py": "Windows has no `resource`",
        "analysis/dividing.py": "few projects are large enough to be divided",
        "analysis/folder.py": "NumPy loads while the workers start",
        "analysis/languages/c/clang.py": "libclang is loaded in the process that it may crash",
        "analysis/languages/c/reader.py": "a worker loads the grammar of C or that of C++",
        "analysis/patterns.py": "many folders have no .gitignore",
        "analysis/pool.py": "workers import it; only the main process starts others",
        "analysis/workers.py": "Windows has neither `fcntl` nor `resource`",
        "app.py": "first what tells that there is no display, then Qt, which would end the process",
        "watching/work_tree.py": "psutil is loaded by who watches",
        "asking/expression.py": "most queries have no mistake that rapidfuzz could find",
        "asking/highlight.py": "the window does not wait for Pygments",
        "asking/matrix.py": "the window does not wait for SciPy",
        "asking/names.py": "most searches find something exact",
        "asking/source.py": "only Python files declare an encoding so",
        "cli/": "`cbvtool --help` loads nothing, each command what it needs",
        "code_base.py": "only who draws needs the renderer",
        "export/": "only a PDF needs reportlab, and only some names letters that run to the left",
        "formats/atomic.py": "Windows has no `fcntl`",
        "formats/registry.py": "only SCIP needs protobuf",
        "geometry/scene/filtered.py": "the first frame does not wait for SciPy",
        "graph/networkx.py": "only other people's algorithms need networkx",
        "metrics/structure/reach.py": "the window does not wait for SciPy",
        "metrics/structure/unused.py": "the window does not wait for SciPy",
        "mining/processes.py": "only histories need git; Windows has no `fcntl`",
        "mining/view_repository.py": "only histories need git",
        "project.py": "folders and graph files need no readers of traces",
        "proposals/clusters.py": "only grouping a folder needs networkx",
        "proposals/relatedness.py": "the window does not wait for SciPy",
        "rules/cycle_cuts.py": "the window does not wait for SciPy",
        "trace/ensemble/": "the window does not wait for SciPy; pandas is an extra",
        "trace/compare/runs/statistics.py": "likewise: of the statistics of repeated runs alone",
        "rules/cycles.py": "the window does not wait for SciPy",
        "trace/kernels.py": "a repository without a trace does not pay for Numba",
        "trace/readers/caliper.py": "only files of Caliper need its reader",
        "trace/store/parquet.py": "only Parquet needs pyarrow",
        "trace/record/recorder.py": "the program that is recorded loads no more than it would by itself",
        "view/commands/exporting.py": "the renderer loads in a thread",
        "view/panels/applying/plan_applying.py": "the window does not wait for what rewrites code",
        "view/toolkit/display.py": "Qt may be missing",
    },
}
