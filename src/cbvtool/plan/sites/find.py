"""All sites of a plan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cbvtool.graph import Graph
from cbvtool.plan.primitives import AddEdge, CreateNode, Primitive
from cbvtool.plan.sites.code import NO_CODE, Code
from cbvtool.plan.sites.languages import LANGUAGES, answers_for
from cbvtool.plan.sites.mentions import mention_sites, mention_words, within_measure
from cbvtool.plan.sites.planned import Planned
from cbvtool.plan.sites.relations import relation_sites
from cbvtool.plan.sites.site import Site
from cbvtool.progress import checkpoint

# Of what stands on one line, the kind of the site is the first of these.
_FIRST = ("definition", "package", "import", "include", "copy", "drop-import", "inherit", "instantiate", "call")


def find_sites(base: Graph, target: Graph, primitives: Sequence[Primitive], code: Code = NO_CODE) -> tuple[Site, ...]:
    """The sites of `primitives`, a compressed plan that leads from `base` to `target`, sorted, each once per cause.

    code   what can be read of the code; without it, or where `base` is no graph as analysed but a plan half done, the
           relations of the graph alone say what they can
    """
    planned = Planned(base, target, primitives, code)
    if all(isinstance(primitive, CreateNode | AddEdge) for primitive in primitives):
        return ()
    if code is NO_CODE or not planned.is_as_analysed:
        planned = Planned(base, target, primitives, NO_CODE)
        return joined(within_measure(planned, joined(relation_sites(planned, lambda file: False))))

    def is_answered(file: str) -> bool:
        return answers_for(file) is not None and len(planned.text(file)) > 0

    planned.search([*mention_words(planned), *(word for language in LANGUAGES for word in language.words(planned))])
    found = list(relation_sites(planned, is_answered))
    for language in LANGUAGES:
        checkpoint()
        found += language.sites(planned)
    found += mention_sites(planned)
    return joined(within_measure(planned, joined(found)))


def joined(sites: Iterable[Site]) -> tuple[Site, ...]:
    """The same with one site for each line and cause: the surest, of the kind that stands first, with all names.

    Lines to add are one for each line that they follow.
    """
    places: dict[tuple[int, str, int, int, bool], list[Site]] = defaultdict(list)
    for site in sites:
        places[site.cause, site.file, site.line or 0, site.after or 0, site.line is None].append(site)
    found = []
    for there in places.values():
        sure = [site for site in there if site.certainty == "must"] or there
        best = min(sure, key=lambda site: (_FIRST.index(site.kind) if site.kind in _FIRST else len(_FIRST), site.kind))
        names = sorted({name for site in sure for name in site.names})
        reason = best.reason if best.certainty == "check" else ""
        more = sum(site.more for site in there)
        found.append(replace(best, names=tuple(names), reason=reason, more=more))
    found.sort(key=lambda site: (site.file, site.line or site.after or 0, site.line is None, site.kind, site.cause))
    return tuple(found)
