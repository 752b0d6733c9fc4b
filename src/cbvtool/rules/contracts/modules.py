"""The Python modules of a graph, by their names, and the imports between them, for grimp's algorithms.

Which files are modules follows grimp: folders without `__init__.py` inside a package, names with more than one dot, and
folders whose names are not identifiers are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from grimp import ImportGraph

from cbvtool.errors import InputError
from cbvtool.graph import EXTERNAL, Graph, When
from cbvtool.metrics.structure.users import is_sure, of_kinds

_INIT = "__init__.py"


@dataclass(frozen=True, eq=False)
class ModuleGraph:
    """Modules and their imports.

    imports  grimp's graph; contracts change it, so that each one gets a copy
    node     module -> key of its file, or of the external package
    lines    import (importer, imported) -> file and lines
    """

    imports: ImportGraph
    node: dict[str, int]
    lines: dict[tuple[str, str], tuple[tuple[str, int], ...]]


def module_graph(graph: Graph, roots: tuple[str, ...], *, external: bool, type_checking: bool = True) -> ModuleGraph:
    """The modules of the packages `roots`, and their certain imports.

    external       external packages are modules, too, each by the first part of its name
    type_checking  include imports only for a type checker

    Raises InputError for a package that does not exist.
    """
    paths = {graph.ids[key]: key for key in np.flatnonzero(of_kinds(graph, ("file",))).tolist()}
    node: dict[str, int] = {}
    stands_for: dict[int, str] = {}
    for root in roots:
        modules, others = _package(root, paths)
        node |= modules
        stands_for |= dict.fromkeys(others, root)
    # As in grimp, an import of a file in the package that is not a module counts as a use of the package, and only if
    # external packages are included.
    module_of = {**(stands_for if external else {}), **{key: name for name, key in node.items()}}
    imports = ImportGraph()
    for name in sorted(node):
        imports.add_module(name)
    edges = graph.edges
    counts = of_kinds(graph, ("file",))[edges.source] & is_sure(graph)
    if "import" in edges.kind_names:
        counts &= edges.kind == edges.kind_names.index("import")
    else:
        counts[:] = False
    if not type_checking:
        counts &= edges.when != When.TYPE_CHECKING
    lines: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}
    for row in np.flatnonzero(counts).tolist():
        user, used = int(edges.source[row]), int(edges.target[row])
        importer = module_of.get(user) if user not in stands_for else None
        imported = module_of.get(used)
        if imported is None and external and graph.kind(used) == EXTERNAL:
            imported = graph.names[used].partition(".")[0]
            if imported not in node:
                node[imported] = used
                imports.add_module(imported, is_squashed=True)
        if importer is None or imported is None or importer == imported:
            continue
        places = tuple((graph.files[file], line) for file, line in edges.sites(row))
        lines[importer, imported] = (*lines.get((importer, imported), ()), *places)
    for (importer, imported), places in lines.items():
        for _, line in places or (("", 0),):
            imports.add_import(importer=importer, imported=imported, line_number=line, line_contents="")
    return ModuleGraph(imports, node, lines)


def _package(root: str, paths: dict[str, int]) -> tuple[dict[str, int], list[int]]:
    """For the package called `root`: module name -> key of its file, and the keys of other files in it."""
    folder = _folder(root, paths)
    inside = f"{folder}/" if folder else ""
    modules: dict[str, int] = {}
    others: list[int] = []
    for path, key in paths.items():
        if not path.startswith(inside) or not path.endswith(".py"):
            continue
        *folders, file = path.removeprefix(inside).split("/")
        fits = file.count(".") == 1 and all(part.isidentifier() for part in folders)
        if not fits or not _in_packages(inside, folders, paths):
            others.append(key)
            continue
        stem = file.removesuffix(".py")
        modules[".".join([root, *folders, *([] if stem == "__init__" else [stem])])] = key
    return modules, others


def _in_packages(inside: str, folders: list[str], paths: dict[str, int]) -> bool:
    """Whether each folder below one with an `__init__.py` has one itself."""
    begun = f"{inside}{_INIT}" in paths
    for depth in range(1, len(folders) + 1):
        has = f"{inside}{'/'.join(folders[:depth])}/{_INIT}" in paths
        if begun and not has:
            return False
        begun |= has
    return True


def _folder(root: str, paths: dict[str, int]) -> str:
    """The folder of the package: the topmost folder of that name, preferably one with an `__init__.py`."""
    way = root.replace(".", "/")
    found = [
        path.removesuffix(f"/{_INIT}") for path in paths if path == f"{way}/{_INIT}" or path.endswith(f"/{way}/{_INIT}")
    ]
    if not found:
        marked = f"/{way}/"
        found = [
            f"/{path}"[: f"/{path}".index(marked) + len(marked) - 1].lstrip("/")
            for path in paths
            if path.endswith(".py") and marked in f"/{path}"
        ]
    if not found:
        raise InputError(f"There is no package {root} in this folder.")
    return min(found, key=lambda folder: (folder.count("/"), folder))
