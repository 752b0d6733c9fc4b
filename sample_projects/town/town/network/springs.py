"""Lets springs between neighbours pull until they rest."""

from town.entities.ids import Id
from town.feedback.progress import Progress
from town.network.nodes import Node

TURNS = 4


def settle(ids: list[Id], springs: list[tuple[Id, Id]]) -> str:
    """Where each thing comes to rest."""
    nodes = {id: Node(id, float(place)) for place, id in enumerate(ids)}
    progress = Progress("Network", TURNS)
    for _ in range(TURNS):
        for a, b in springs:
            pull = (nodes[b].at - nodes[a].at - 1) / 4
            nodes[a].at, nodes[b].at = nodes[a].at + pull, nodes[b].at - pull
        progress.step()
    return " ".join(f"{node.id}:{node.at:.1f}" for node in nodes.values())
