"""Sites of relations that a plan cuts and puts in: what a split asks of each file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from cbvtool.graph import Confidence, Graph
from cbvtool.plan.interfaces import NAMING
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CutEdge, Primitive
from cbvtool.plan.sites.site import Site
from cbvtool.plan.sites.words import BY_NAME, site_kind

_IMPLEMENTS = "what is used of this file: let it implement the interface, if it is asked for there"


def split_sites(
    base: Graph, target: Graph, primitives: Sequence[Primitive], known: Collection[Site] = ()
) -> Iterator[Site]:
    """The sites of relations that are cut, and those of relations to be written.

    What is cut must change wherever it stands. A file that gets a relation of which nothing is written yet gets an
    import, and, where it implements an interface, its definitions that were used are to be looked at.

    What comes along with a definition is no split: the sites of its move tell of it.

    known   sites that were found already; what is listed there for the same cause is left out
    """
    told = {(site.cause, site.file, site.line) for site in known}
    cut: dict[int, list[int]] = {}  # file that was used -> its parts that were used
    for index, primitive in enumerate(primitives):
        if isinstance(primitive, CutEdge) and not primitive.along:
            used = base.key_of[primitive.target]
            cut.setdefault(file_of(base, used), []).append(used)
            for site in _of_cut(base, primitive, index):
                if (index, site.file, site.line) not in told:
                    yield site
    if not cut:
        return
    for index, primitive in enumerate(primitives):
        if (
            isinstance(primitive, AddEdge)
            and not (primitive.sites or primitive.along)
            and primitive.source in base.key_of
        ):
            user = base.key_of[primitive.source]
            if base.kind(user) != "file" or primitive.target not in target.key_of:
                continue
            name = place(target, target.key_of[primitive.target])
            after = _last_import(base, user)
            yield Site(base.ids[user], None, "add-import", "must", after=after, names=(name,), cause=index)
            if primitive.kind == "inherit":
                for part in sorted({key for key in cut.get(user, ()) if base.line[key] > 0 and key != user}):
                    line, called = int(base.line[part]), base.names[part]
                    if (index, base.ids[user], line) not in told:
                        yield Site(
                            base.ids[user],
                            line,
                            "definition",
                            "check",
                            names=(called,),
                            reason=_IMPLEMENTS,
                            cause=index,
                        )


def _of_cut(base: Graph, cut: CutEdge, index: int) -> Iterator[Site]:
    edges = base.edges
    kind = edges.kind_names.index(cut.kind)
    ends = (edges.source == base.key_of[cut.source]) & (edges.target == base.key_of[cut.target])
    for row in np.flatnonzero(ends & (edges.kind == kind)).tolist():
        guess = edges.confidence[row] == Confidence.GUESS
        for file, line in edges.sites(row):
            yield Site(
                base.files[file],
                line,
                site_kind(cut.kind),
                "check" if guess else "must",
                reason=BY_NAME if guess else "",
                cause=index,
            )


def _last_import(base: Graph, file: int) -> int:
    """The last line in which a file imports something at its top; 0 if it imports nothing."""
    edges = base.edges
    kinds = [number for number, name in enumerate(edges.kind_names) if name in NAMING]
    rows = np.flatnonzero((edges.source == file) & np.isin(edges.kind, kinds) & (edges.when == 0))
    path = base.ids[file]
    return max((line for row in rows.tolist() for at, line in edges.sites(row) if base.files[at] == path), default=0)
