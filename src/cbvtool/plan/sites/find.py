"""All sites of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from cbvtool.graph import Graph
from cbvtool.plan.impact import Effect, impact
from cbvtool.plan.primitives import Primitive
from cbvtool.plan.sites.code import NO_CODE, Code
from cbvtool.plan.sites.site import Site, SiteKind

_REASONS = {
    Effect.CHECK_IF_ABSOLUTE: "both ends move together: change it if it is an absolute import",
    Effect.CHECK_IF_RELATIVE: "an import of what moves itself: change it if it is relative",
    Effect.CHECK_IF_NAMED: "change it if it names what leaves the file or is renamed in it",
    Effect.CHECK_IF_MEANT: "found by name alone: change it if it means this",
}
_KINDS = frozenset(get_args(SiteKind))


def find_sites(base: Graph, target: Graph, primitives: Sequence[Primitive], code: Code = NO_CODE) -> tuple[Site, ...]:
    """The sites of `primitives`, a compressed plan that leads from `base` to `target`, sorted, each once per cause."""
    del code
    found = impact(base, target, primitives)
    sites = set()
    for row, effect, cause in zip(found.row.tolist(), found.effect.tolist(), found.cause.tolist(), strict=True):
        kind = base.edges.kind_names[int(base.edges.kind[row])]
        for file, line in base.edges.sites(row):
            sites.add(
                Site(
                    base.files[file],
                    line,
                    cast(SiteKind, kind if kind in _KINDS else "relation"),
                    "must" if effect == Effect.CHANGE else "check",
                    reason=_REASONS.get(Effect(effect), ""),
                    cause=cause,
                )
            )
    return tuple(sorted(sites, key=lambda site: (site.file, site.line or 0, site.after or 0, site.kind, site.cause)))
