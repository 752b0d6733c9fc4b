"""Sites by the relations of the graph alone: for files whose text cannot be read, or of languages without rules.

What is imported by its path is judged by `impact`: whether an import holds that is written absolutely, and one
that is written relatively. Beside that every relation of any kind to a class or function that is renamed, removed or
goes to another file names it, as far as the graph knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cbvtool.graph import EXTERNAL
from cbvtool.plan.sites.impact import Effect, impact
from cbvtool.plan.sites.planned import PartChange, Planned
from cbvtool.plan.sites.site import Site
from cbvtool.plan.sites.words import BY_NAME, line_with, site_kind, word

_REASONS = {
    Effect.CHECK_IF_ABSOLUTE: "both ends move together: change it if it is an absolute import",
    Effect.CHECK_IF_RELATIVE: "an import of what moves itself: change it if it is relative",
    Effect.CHECK_IF_NAMED: "change it if it names what leaves the file or is renamed in it",
    Effect.CHECK_IF_MEANT: BY_NAME,
}


def relation_sites(planned: Planned, is_answered: Callable[[str], bool]) -> Iterator[Site]:
    """The sites of relations in files for which `is_answered(file)` is false, and of all with packages outside."""
    base = planned.base
    found = impact(base, planned.target, planned.primitives)
    for row, effect, cause in zip(found.row.tolist(), found.effect.tolist(), found.cause.tolist(), strict=True):
        for use in planned.uses_in(row):
            if base.kind(use.target) == EXTERNAL or not is_answered(use.file):
                yield Site(
                    use.file,
                    use.line,
                    site_kind(use.kind),
                    "must" if effect == Effect.CHANGE else "check",
                    reason=_REASONS.get(Effect(effect), ""),
                    cause=cause,
                )
    for part in planned.parts:
        if not is_answered(part.file):
            yield from _own_line(planned, part)
        if part.is_renamed or part.leaves:
            for use in planned.uses_of([part.key]):
                if not is_answered(use.file) and not _goes_along(planned, use.source, part):
                    is_text = len(planned.text(use.file)) > 0
                    line = line_with(planned, use.file, use.line, word(part.name)) if is_text else use.line
                    if not line:
                        continue  # it is used by another name there
                    yield Site(
                        use.file,
                        line,
                        site_kind(use.kind),
                        "must" if use.is_sure else "check",
                        names=(part.name,),
                        reason="" if use.is_sure else BY_NAME,
                        cause=part.cause,
                    )


def _own_line(planned: Planned, part: PartChange) -> Iterator[Site]:
    line = int(planned.base.line[part.key])
    if part.is_renamed and line:
        yield Site(part.file, line, "definition", "must", names=(part.name,), cause=part.cause)


def _goes_along(planned: Planned, source: int, part: PartChange) -> bool:
    """Whether what uses a part lies in it, so that it is removed or moved with it; who calls itself is renamed too."""
    return not part.is_renamed and planned.base.is_below(source, part.key)
