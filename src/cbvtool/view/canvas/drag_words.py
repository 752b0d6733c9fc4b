"""The text of the card at the pointer during a drag: the dragged nodes, and the effect of a drop there."""

from __future__ import annotations

from collections.abc import Sequence

from cbvtool.geometry.colors import Theme
from cbvtool.geometry.picture import Color
from cbvtool.geometry.state.view_state import Drag
from cbvtool.graph import Graph
from cbvtool.plan import can_merge, count_of
from cbvtool.session.dragging import Candidate
from cbvtool.session.dragging.gestures import Bundle
from cbvtool.words import one_line

NAMED = 3  # most nodes listed by name; further ones are counted
KINDS = 4  # most kinds of relations that are listed


def card_lines(drag: Drag, candidate: Candidate, bundle: Bundle, graph: Graph, theme: Theme) -> list[tuple[str, Color]]:
    """Lines with their colours; the first names the dragged nodes.

    bundle   the relations that the dragged relation stands for
    """
    lines = [
        (line, theme.text if number == 0 else theme.muted)
        for number, line in enumerate(held_lines(drag, bundle, graph))
    ]
    if candidate.refusal is not None:
        return [*lines, (candidate.refusal, theme.warning)]
    if candidate.at_home:
        return [*lines, ("Stays where it is", theme.muted)]
    if drag.target < 0:
        return [*lines, (_hint(drag), theme.muted)]
    lines.append((_does(drag, graph), theme.accent))
    if candidate.places and not drag.splits and not drag.fresh:
        lines.append((f"You are asked which of {len(candidate.places):,} folders", theme.muted))
    elif more := _more(drag, graph):
        lines.append((more, theme.muted))
    return lines


def held_lines(drag: Drag, bundle: Bundle, graph: Graph) -> list[str]:
    """Lines about the dragged nodes or relation; the name comes first."""
    if drag.splits:
        return [ends(drag.relation, graph), bundle_words(bundle)]
    if drag.act == "pull":
        container, partner = (one_line(graph.names[key]) for key in drag.relation)
        of = len(graph.children(drag.relation[0]))
        what = "part relates" if len(drag.keys) == 1 else "parts relate"
        how_many = f"{len(drag.keys):,} of {of:,} {what} to {partner}, out of {container}"
        return [names(drag.keys, graph) or container, how_many] if drag.keys else [container]
    return [names(drag.keys, graph)]


def names(keys: Sequence[int], graph: Graph) -> str:
    """Names of the first nodes, and the number of further ones."""
    said = ", ".join(one_line(graph.names[key]) for key in keys[:NAMED])
    return said if len(keys) <= NAMED else f"{said} and {len(keys) - NAMED:,} more"


def ends(relation: Sequence[int], graph: Graph) -> str:
    """`ui → domain`."""
    return " → ".join(one_line(graph.names[key]) for key in relation)


def bundle_words(bundle: Bundle) -> str:
    """`Stands for 12 relations: 9 call, 3 import`."""
    if not bundle.total:
        return "Stands for no dependency"
    kinds = [f"{count:,} {one_line(kind)}" for kind, count in bundle.counts[:KINDS]]
    rest = len(bundle.counts) - KINDS
    told = ", ".join(kinds) + (f" and {rest:,} more kind{'' if rest == 1 else 's'}" if rest > 0 else "")
    return f"Stands for {bundle.total:,} {'dependency' if bundle.total == 1 else 'dependencies'}: {told}"


def place_words(key: int, graph: Graph) -> str:
    """The place of a node, for a line on a card."""
    return "the top level" if key == graph.root else one_line(graph.path(key))


def _hint(drag: Drag) -> str:
    if drag.splits:
        return "Drop it on a third node, or outside for a new one; Esc cancels"
    return "Drop it on a container; outside with Ctrl for a new one; Esc cancels"


def _does(drag: Drag, graph: Graph) -> str:
    to = place_words(drag.target, graph)
    if drag.splits:
        return f"Lead it over a new file in {to}" if drag.fresh else f"Lead it over {to}"
    if drag.fresh:
        return f"Into a new container in {to}"
    if drag.act == "merge":
        return f"Merge into {to}"
    return f"Pull out to {to}" if drag.act == "pull" else f"Move to {to}"


def _more(drag: Drag, graph: Graph) -> str:
    """A hint to another action that a key would cause here."""
    if drag.splits or drag.fresh:
        return "You are asked for form and name" if drag.splits else "You are asked for its name"
    if drag.act == "merge":
        what = "its content goes there, the rest goes" if len(drag.keys) == 1 else "their content goes there"
        return f"Shift: {what}"
    mergeable = all(can_merge(graph.kind(key), graph.kind(drag.target)) for key in drag.keys)
    return "With Shift: merge into it" if drag.act == "move" and mergeable else ""


def kinds_words(keys: Sequence[int], graph: Graph) -> str:
    """`2 files`, or the name of a single one."""
    return names(keys, graph) if len(keys) == 1 else count_of([graph.kind(key) for key in keys])
