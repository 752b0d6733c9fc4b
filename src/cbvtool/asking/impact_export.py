"""A list of what to change and test after a change of some nodes: Markdown for people, CSV and JSON for tools."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from cbvtool.asking.impact import Dependants, counts_by_kind
from cbvtool.asking.listing import kind_words, places_of
from cbvtool.graph import Graph, When
from cbvtool.graph.records import WHEN
from cbvtool.graph.regroup import node_words
from cbvtool.words import as_utf8, code_span, escaped, harmless, one_line

FORMAT = "cbvtool-impact"
VERSION = 1
COLUMNS = ("what to do", "distance", "file", "node", "name", "kind", "relations", "places", "when")


@dataclass(frozen=True)
class Affected:
    """One affected node.

    todo       `change` (it uses the changed nodes), `check` (it does so transitively), `test` (a test, to be run again)
    file       path of its file; empty without one
    relations  kinds of the relations by which it is affected; places: their sites, `file:line`
    words      the same kinds, with the time when they take effect: `deferred import`
    when       the earliest time at which one of them takes effect: `always`, `deferred` or `type-checking`
    """

    key: int
    todo: str
    distance: int
    file: str
    relations: tuple[str, ...]
    places: tuple[str, ...]
    words: tuple[str, ...]
    when: str


def affected(graph: Graph, found: Dependants) -> Iterator[Affected]:
    """The affected nodes, in the order of `found`."""
    edges = graph.edges
    for position, key in enumerate(found.node.tolist()):
        distance, rows = int(found.distance[position]), found.rows_of(position).tolist()
        todo = "test" if found.test[position] else "change" if distance == 1 else "check"
        kinds = dict.fromkeys(edges.kind_names[edges.kind[row]] for row in rows)
        places = dict.fromkeys(place for row in rows for place in places_of(graph, row))
        file = graph.files[graph.file[key]] if graph.file[key] >= 0 else ""
        words = dict.fromkeys(kind_words(graph, row) for row in rows)
        when = WHEN[When(min(edges.when[rows].tolist(), default=When.ALWAYS))]
        yield Affected(key, todo, distance, file, tuple(kinds), tuple(places), tuple(words), when)


def summary(graph: Graph, found: Dependants) -> str:
    """One line: how many nodes are affected."""
    if not len(found):
        return "Nothing uses it."
    direct, tests = int(np.count_nonzero(found.distance == 1)), int(np.count_nonzero(found.test))
    files = len(np.unique(graph.file[found.node][graph.file[found.node] >= 0]))
    return (
        f"{_counted(len(found), 'node')} in {_counted(files, 'file')}: {direct:,} directly, "
        f"{len(found) - direct:,} transitively; {_counted(tests, 'test')} among them"
    )


def to_markdown(graph: Graph, found: Dependants, subject: str, commit: str = "") -> str:
    """A check list: what to change, what to check, what to test again.

    subject   name of the code base; commit: id of the commit for paths and lines, empty without one
    """
    changed = ", ".join(code_span(node_words(graph, key)) for key in found.changed)
    lines = [f"# Impact of a change in {escaped(subject)}", "", f"If {changed} changes:", ""]
    lines += [f"- **{escaped(summary(graph, found))}**"]
    if commit:
        lines.append(f"- paths and lines are those of commit {code_span(commit)}")
    if table := counts_by_kind(graph, found):
        steps = range(1, int(found.distance.max()) + 1)
        lines += ["", f"| Relation | {' | '.join(_far(step) for step in steps)} |", f"|:--|{'--:|' * len(steps)}"]
        lines += [
            f"| {escaped(kind)} | {' | '.join(f'{n:,}' if n else '–' for n in row)} |" for kind, row in table.items()
        ]
    rows = list(affected(graph, found))
    for todo, title in (("change", "To change, or to look at first"), ("check", "To check"), ("test", "To test again")):
        chosen = sorted((row for row in rows if row.todo == todo), key=lambda row: (row.distance, row.file))
        if chosen:
            lines += ["", f"## {title}"]
        for (distance, file), group in groupby(chosen, key=lambda row: (row.distance, row.file)):
            lines += ["", f"### {code_span(file) if file else 'Outside of files'} ({_far(distance)})", ""]
            lines += [_line(graph, row) for row in group]
    return "\n".join([*lines, ""])


def to_csv(graph: Graph, found: Dependants) -> str:
    """One row for each node, columns as in `COLUMNS`; lists are joined by `; `."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in affected(graph, found):
        writer.writerow(
            harmless(cell)
            for cell in (
                row.todo,
                row.distance,
                row.file,
                graph.ids[row.key],
                graph.names[row.key],
                graph.kind(row.key),
                "; ".join(row.relations),
                "; ".join(row.places),
                row.when,
            )
        )
    return as_utf8(text.getvalue())


def to_json(graph: Graph, found: Dependants, subject: str, commit: str = "") -> str:
    """The list as JSON, format `cbvtool-impact`, described in `docs/guide.md`."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "subject": subject,
        "commit": commit,
        "changed": [graph.ids[key] for key in found.changed],
        "counts": {kind: list(row) for kind, row in counts_by_kind(graph, found).items()},
        "affected": [
            {
                "node": graph.ids[row.key],
                "kind": graph.kind(row.key),
                "file": row.file,
                "distance": row.distance,
                "todo": row.todo,
                "relations": row.relations,
                "when": row.when,
                "places": row.places,
            }
            for row in affected(graph, found)
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def _line(graph: Graph, row: Affected) -> str:
    name = one_line(graph.names[row.key])
    places = ", ".join(map(code_span, row.places))
    return f"- [ ] {code_span(name)} ({escaped(', '.join(row.words))})" + (f": {places}" if places else "")


def _far(step: int) -> str:
    return "direct" if step == 1 else f"{step} steps away"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
