"""Inputs for the readers: valid ones with mutations of structure, types, sizes and encodings, and mutated samples.

Each is made from (reader, seed, number) alone, so that any of them can be made again.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cbvtool.formats.scip_messages import message_classes

SAMPLES = Path(__file__).parents[1] / "formats" / "samples"
Chance = random.Random

LONG = 60  # words in a long text
MOST_PLACES = 3_000  # values in what is mutated further
MOST = 2_000_000  # bytes of an input
LARGEST = 300_000  # bytes that an input grows to by repetition
WORDS = (
    "",
    "a",
    "b",
    "c.py",
    "a/b.py",
    "a/b/c",
    "a\\b",
    "a::b",
    "a.b.c",
    "ä",
    "漢字",
    "😀",
    "\u202eabc",
    "a b",
    " a ",
    "\t",
    "\n",
    "\r\n",
    "\x00",
    "\x1b[31m",
    "\x7f",
    "\x85",
    "\ud800",
    "\udc80x",
    "'",
    '"',
    '""',
    "`",
    "\\",
    "=cmd|calc!A0",
    "'=x",
    "@SUM(1)",
    "-1",
    "+1",
    "_x0041_",
    "_x000D_",
    "<b>",
    "&amp;",
    "&x;",
    "]]>",
    "-->",
    "{",
    "}",
    "[",
    ";",
    ",",
    "|",
    "#",
    "%s",
    "{0}",
    "..",
    "../x",
    "/",
    "~",
    "csv:",
    "cluster_a",
    "cluster:a",
    "metric:a",
    "id",
    "name",
    "parent",
    "source",
    "kind",
    "type",
    "level",
    "contain",
    "Root",
    "0",
    "1",
    "1.5",
    "1e400",
    "nan",
    "inf",
    "true",
    "null",
    "12!x",
    "a*a*a*b",
    "/(a+)+$/",
    "!/x/",
    "2026-01-01",
)
NUMBERS: tuple[Any, ...] = (
    0,
    1,
    -1,
    2,
    7,
    100,
    1.5,
    -0.0,
    1e-320,
    1e308,
    1e39,
    2**31 - 1,
    2**31,
    2**53,
    2**63,
    -(2**63),
    10**25,
    float("inf"),
    float("nan"),
)


def word(chance: Chance) -> str:
    """A text: mostly short and plain, sometimes odd or long."""
    roll = chance.random()
    if roll < 0.5:
        return chance.choice("abcdefg")
    if roll < 0.97:
        return chance.choice(WORDS)
    return chance.choice(WORDS) * chance.randrange(1, LONG)


def value(chance: Chance, deep: int = 0) -> Any:
    """Any JSON value."""
    sort = chance.randrange(8 if deep < 3 else 6)
    if sort < 2:
        return word(chance)
    if sort < 4:
        return chance.choice(NUMBERS)
    if sort == 4:
        return chance.choice((None, True, False))
    if sort == 5:
        return nested(chance.choice((3, 60, 5_000))) if chance.random() < 0.05 else []
    if sort == 6:
        return [value(chance, deep + 1) for _ in range(chance.randrange(4))]
    return {word(chance): value(chance, deep + 1) for _ in range(chance.randrange(4))}


def number(chance: Chance) -> Any:
    """A number, rarely an odd one."""
    return chance.choice(NUMBERS) if chance.random() < 0.05 else chance.choice((0, 1, 2, 0.5, 7, 1_600_000_000))


class nested:
    """Lists inside one another, which `json_text` writes without recursion."""

    def __init__(self, levels: int) -> None:
        self.levels = levels


def places(data: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything inside `data`."""
    found: list[tuple[Any, Any]] = []
    todo = [data]
    while todo:
        item = todo.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        for key in keys:
            found.append((item, key))
            todo.append(item[key])
    return found


def mutated(chance: Chance, data: Any) -> Any:
    """`data` with a few changes: of values, of types, of names, things left out, doubled or exchanged."""
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 8))):
        found = places(data)
        if not found:
            return value(chance)
        if len(found) > MOST_PLACES:
            break
        inside, key = chance.choice(found)
        change = chance.randrange(7)
        if change < 2:
            inside[key] = value(chance)
        elif change == 2:
            del inside[key]
        elif change == 3 and isinstance(inside, dict):
            inside[word(chance)] = inside.pop(key)
        elif change == 4 and isinstance(inside, list):
            times = chance.choice((1, 1, 2, 20)) if len(found) < 500 else 1
            inside[key:key] = [copy.deepcopy(inside[key])] * times
        elif change == 5:
            other, name = chance.choice(found)
            try:
                inside[key], other[name] = copy.deepcopy(other[name]), copy.deepcopy(inside[key])
            except (KeyError, IndexError):
                continue
        elif isinstance(inside, dict):
            inside[word(chance)] = value(chance)
    return data


def json_text(chance: Chance, data: Any) -> bytes:
    """`data` as JSON, in one of many layouts and encodings."""
    mark = "\x00nested:"
    text = json.dumps(
        data,
        ensure_ascii=chance.random() < 0.5,
        indent=chance.choice((None, None, 1)),
        default=lambda odd: f"{mark}{odd.levels}",
    )
    while (begin := text.find(json.dumps(mark)[:-1])) >= 0:
        end = text.index('"', begin + 1)
        levels = int(text[begin:end].rpartition(":")[2])
        text = text[:begin] + "[" * levels + "]" * levels + text[end + 1 :]
    return encoded(chance, text)


def encoded(chance: Chance, text: str) -> bytes:
    """`text` in UTF-8, mostly."""
    roll = chance.random()
    if roll < 0.85:
        return text.encode("utf-8", "replace")
    if roll < 0.95:
        return text.encode("utf-8", "surrogatepass")
    coding = chance.choice(("utf-8-sig", "utf-16", "utf-16-le", "cp1252", "latin-1"))
    return text.encode(coding, "replace")


def damaged(chance: Chance, data: bytes) -> bytes:
    """`data` with bytes changed, taken out, doubled or repeated, or cut off; or packed, and that damaged."""
    data = data[:MOST]
    roll = chance.random()
    if roll < 0.55 or not data:
        return data
    for _ in range(chance.choice((1, 1, 2, 5))):
        begin, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        change = chance.randrange(7)
        if change == 0:
            data = data[:begin] + bytes([chance.randrange(256)]) + data[begin + 1 :]
        elif change == 1:
            data = data[:begin] + data[min(end, begin + 20) :]
        elif change == 2:
            data = data[:begin]
        elif change == 3:
            data = data[:begin] + chance.choice(WORDS).encode("utf-8", "surrogatepass") + data[begin:]
        elif change == 4:
            piece = data[begin : min(end, begin + chance.choice((1, 2, 5, 20, 200)))]
            most = (LARGEST if chance.random() < 0.1 else 3_000) // max(len(piece), 1)
            data = data[:begin] + piece * chance.randrange(1, max(most, 2)) + data[end:]
        elif change == 5:
            at = chance.randrange(len(data) + 1)
            data = data[:at] + data[begin : min(end, begin + 2_000)] + data[at:]
        if not data:
            return data
    if roll > 0.97:
        data = gzip.compress(data[:LARGEST] * chance.choice((1, 1, 30)), 6, mtime=0)
        if chance.random() < 0.3:
            data = data[: chance.randrange(len(data))]
    return data


# -- graphs ----------------------------------------------------------------------------------------------------------


def graph_data(chance: Chance) -> dict[str, Any]:
    """A graph as our JSON has it, valid but for what odd words do."""
    count = chance.choice((1, 3, 8, 20, 60)) if chance.random() < 0.99 else 2_000
    ids = [""]
    nodes: list[dict[str, Any]] = [{"id": "", "parent": None, "name": "root", "kind": "project"}]
    metrics = [word(chance) for _ in range(4)]
    for number in range(1, count):
        above = chance.choice(ids[-8:])
        node = f"{above}/{word(chance)}{number}" if above else f"{word(chance)}{number}"
        row: dict[str, Any] = {
            "id": node,
            "parent": above,
            "name": word(chance),
            "kind": chance.choice(("file", "class", word(chance))),
            "file": chance.choice((None, node)),
            "line": chance.choice((None, 1, 7)),
            "end_line": chance.choice((None, 9)),
        }
        if chance.random() < 0.5:
            row["metrics"] = {chance.choice(metrics): chance.choice((0, 1, 2.5, -3, 1e300))}
        ids.append(node)
        nodes.append(row)
    edges: dict[tuple[str, str, str], dict[str, Any]] = {}
    for _ in range(chance.randrange(count * 2)):
        source, target, kind = chance.choice(ids), chance.choice(ids), chance.choice(("import", "call", word(chance)))
        edge: dict[str, Any] = {"source": source, "target": target, "kind": kind}
        if chance.random() < 0.6:
            edge |= {
                "weight": chance.choice((1, 2.5, -1)),
                "confidence": chance.choice(("exact", "resolved", "guess")),
                "sites": [[chance.choice(ids), chance.randrange(1, 99)] for _ in range(chance.randrange(3))],
            }
        edges[source, target, kind] = edge
    data: dict[str, Any] = {
        "format": "cbvtool-graph",
        "version": 1,
        "root": "root",
        "nodes": nodes,
        "edges": list(edges.values()),
        "report": {
            "files": 1,
            "skipped": [{"path": "a", "reason": "b"}],
            "parse_errors": ["a"],
            "notes": [word(chance)],
            "languages": [{"name": "Python", "files": 1}],
            "entry_points": ["*"],
        },
    }
    if chance.random() < 0.4:
        data["history"] = {
            "shas": ["a", "b"],
            "times": [1, 2],
            "author_of": [0, 0],
            "authors": ["Ada"],
            "touch_commit": [0, 1],
            "touch_path": [0, 0],
            "paths": [chance.choice(ids)],
            "shallow": False,
            "head": "b",
        }
    return data


def in_lines(data: Any) -> bytes:
    """A graph laid out as cbvtool writes it, whatever it holds."""
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list) or not isinstance(data.get("edges"), list):
        return b""
    rows = {
        name: ",\n".join(json.dumps(row, separators=(",", ":"), default=str) for row in data[name])
        for name in ("nodes", "edges")
    }
    head = json.dumps(str(data.get("root")))
    rest = {name: data[name] for name in data if name not in ("format", "version", "root", "nodes", "edges", "report")}
    tail = "".join(f",\n{json.dumps(name)}:{json.dumps(rest[name], default=str)}" for name in rest)
    report = json.dumps(data.get("report"), default=str)
    return (
        f'{{"format":"cbvtool-graph","version":1,"root":{head},\n"nodes":[\n{rows["nodes"]}\n],\n"edges":[\n{rows["edges"]}'
        f'\n],\n"report":{report}{tail}}}\n'
    ).encode()


def json_graph(chance: Chance) -> bytes:
    data = mutated(chance, graph_data(chance))
    if chance.random() < 0.4 and (text := in_lines(data)):
        return damaged(chance, text)
    return damaged(chance, json_text(chance, data))


def csv_graph(chance: Chance) -> bytes:
    delimiter = chance.choice(",,,;\t|")
    quote = lambda text: '"' + text.replace('"', '""') + '"' if chance.random() < 0.5 else text.replace("\n", " ")
    headers = chance.choice(
        (
            ["source", "target", "kind", "weight", "confidence", "when"],
            ["source", "target"],
            ["from", "to", "count"],
            ["id", "label", "parent", "kind", "file", "line", "end_line", "m", "n"],
            ["id", "loc"],
            [],
            [word(chance) for _ in range(4)],
        )
    )
    width = len(headers) or chance.randrange(1, 5)
    rows = [headers] if headers else []
    for _ in range(chance.choice((0, 1, 5, 30, 300))):
        cells = [chance.choice((word(chance), str(chance.choice(NUMBERS)), "1,5")) for _ in range(width)]
        rows.append(cells if chance.random() < 0.95 else cells[: chance.randrange(width + 1)] * chance.choice((1, 3)))
    end = chance.choice(("\n", "\n", "\r\n", "\r"))
    return damaged(chance, encoded(chance, end.join(delimiter.join(map(quote, row)) for row in rows) + end))


def hierarchy_table(chance: Chance) -> bytes:
    paths = ["core", "core/order.py", "page.py", "core/order.py::Order", "missing"]
    rows = [
        ",".join(
            [chance.choice((*paths, word(chance))), *(word(chance) for _ in range(chance.choice((0, 1, 1, 2, 3, 80))))]
        )
        for _ in range(chance.choice((0, 1, 2, 4, 40)))
    ]
    if chance.random() < 0.5:
        rows = [f"{path},{chance.choice('abc')}" for path in paths[: chance.randrange(5)]] + rows[:1]
    return damaged(chance, encoded(chance, "\n".join(rows) + "\n"))


def rsf_graph(chance: Chance) -> bytes:
    say = lambda: chance.choice((f'"{word(chance)}"', word(chance), chance.choice("abcdef"), "1!a"))
    verbs = ("type", "level", "contain", "call", "file", "lineno", "name", "metric:x", "loc")
    lines = [f"{chance.choice((*verbs, say()))} {say()} {say()}" for _ in range(chance.choice((1, 5, 30, 300)))]
    if chance.random() < 0.6:
        lines = [f"{chance.choice(verbs)} {chance.choice('abcdef')} {chance.choice('abcd12')}" for _ in lines]
    return damaged(chance, encoded(chance, "\n".join([*chance.choice(((), ("# a",), ("",))), *lines]) + "\n"))


def dot_graph(chance: Chance) -> bytes:
    def name() -> str:
        text = word(chance)
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        joined = f'"{escaped}"' + f' + "{chance.choice("ab")}"' * chance.choice((0, 0, 0, 1, 40))
        return chance.choice((chance.choice("abcdef"), joined, f"<{text}>", str(chance.randrange(9)), text))

    def attributes() -> str:
        known = ("label", "kind", "weight", "shape", "lhead", "ltail", "color", "loc", "class", "file", name())
        pairs = (f"{chance.choice(known)}={name()}" for _ in range(chance.randrange(4)))
        return f" [{chance.choice((', ', '; ', ' ')).join(pairs)}]"

    def group(deep: int) -> str:
        inner = " ".join(statement(deep + 1) for _ in range(chance.randrange(4))) if deep < 6 else "a b"
        return f"{chance.choice(('', 'subgraph ', 'subgraph cluster_a ', f'subgraph {name()} '))}{{ {inner} }}"

    def statement(deep: int = 0) -> str:
        sort = chance.randrange(7)
        if sort < 2:
            return f"{name()}{chance.choice(('', ':p', ':p:n'))}{chance.choice(('', attributes()))};"
        if sort < 4:
            ends = [chance.choice((name(), name(), group(deep + 1))) for _ in range(chance.randrange(2, 5))]
            return chance.choice((" -> ", " -- ")).join(ends) + chance.choice(("", attributes())) + "\n"
        if sort == 4:
            return f"{chance.choice(('node', 'edge', 'graph'))}{attributes()}\n"
        return group(deep) if sort == 5 else f"{name()} = {name()} /* c */ // d\n"

    if chance.random() < 0.15:
        return damaged(chance, sample(chance, ".dot"))
    body = "".join(statement() for _ in range(chance.choice((0, 1, 3, 8))))
    head = chance.choice(("digraph", "graph", "strict digraph", "DiGraph g", f"digraph {name()}"))
    text = f"{head} {{ {body} }}"
    if chance.random() < 0.02:
        many = chance.choice((50, 500, 3_000))
        text = "digraph {" + " -> ".join("{" + " ".join(f"{x}{i}" for i in range(many)) + "}" for x in "abc") + "}"
    return damaged(chance, encoded(chance, text))


def xml(chance: Chance, outer: str, elements: tuple[str, ...], attributes: tuple[str, ...]) -> bytes:
    def safe(text: str) -> str:
        if chance.random() < 0.1:
            return text
        for mark, entity in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
            text = text.replace(mark, entity)
        return "".join(c for c in text if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff"))

    def element(deep: int) -> str:
        tag = chance.choice(elements)
        given = {
            chance.choice(attributes): safe(chance.choice((word(chance), chance.choice("abcd")))) for _ in range(4)
        }
        if tag in ("node", "graph"):
            given.setdefault("id", chance.choice("abcdefgh"))
        if tag in ("edge",):
            given |= {
                a: chance.choice("abcdefgh") for a in ("source", "target", "from", "to") if chance.random() < 0.95
            }
        inner = "".join(element(deep + 1) for _ in range(chance.choice((0, 0, 1, 2, 4)))) if deep < 7 else ""
        inner += chance.choice((safe(word(chance)), "", "", "<![CDATA[x]]>", "<!-- c -->", "<?p i?>"))
        prefix = "y:" if chance.random() < 0.05 else ""
        written = "".join(f' {name}="{text}"' for name, text in given.items())
        return f"<{prefix}{tag}{written}>{inner}</{prefix}{tag}>"

    body = "".join(element(0) for _ in range(chance.randrange(1, 6)))
    if chance.random() < 0.7:
        body = f"<graph>{body}</graph>"
    head = chance.choice(
        (
            "",
            '<?xml version="1.0"?>',
            '<?xml version="1.0" encoding="UTF-16"?>',
            "<!DOCTYPE x>",
            '<?xml version="1.0" encoding="nonsense"?>',
            '<!DOCTYPE x [<!ENTITY x "y">]>',
        )
    )
    if chance.random() < 0.6:
        head = ""
    return damaged(chance, encoded(chance, f"{head}<{outer}>{body}</{outer}>"))


# Elements of both GraphML and GXL; what stands there twice is made twice as often.
_SHARED = ("node", "node", "edge", "edge", "graph")


def graphml_graph(chance: Chance) -> bytes:
    if chance.random() < 0.15:
        return damaged(chance, sample(chance, ".graphml"))
    elements = (*_SHARED, *["port", "hyperedge", "data", "data", "key", "default", "NodeLabel", "x"])
    return xml(chance, "graphml", elements, ("id", "key", "for", "attr.name", "edgedefault", "directed", "x"))


def gxl_graph(chance: Chance) -> bytes:
    elements = (*_SHARED, *["rel", "relend", "attr", "string", "int", "type", "set", "locator"])
    return xml(chance, "gxl", elements, ("id", "name", "xlink:href", "edgemode", "isdirected", "kind", "from"))


def scip_graph(chance: Chance) -> bytes:
    if chance.random() < 0.3:
        return damaged(chance, sample(chance, ".scip"))

    def symbol() -> str:
        ends = ("#", "().", ".", "/", ":", "!", "[T]", "(p)", "(+1).")
        names = "".join(
            f"{chance.choice(('a', 'B', '`a b`', '``', word(chance)))}{chance.choice(ends)}"
            for _ in range(chance.choice((0, 1, 2, 3, 30)))
        )
        return chance.choice((f"scip python p 1 {names}", f"s . . . {names}", "local 1", word(chance)))

    def span() -> list[int]:
        count = chance.choice((3, 3, 4, 4, 2))
        return [chance.choice((0, 1, 5, 2**31 - 1, -1, chance.randrange(99))) for _ in range(count)]

    def text(odd: str) -> str:
        return odd.encode("utf-8", "replace").decode()

    classes = message_classes()
    index: Any = classes["Index"]()
    if chance.random() < 0.8:
        index.metadata.project_root = chance.choice(("file:///a/shop", text(word(chance))))
        index.metadata.tool_info.name = "fuzz"
    symbols = [text(symbol()) for _ in range(6)]
    for _ in range(chance.choice((0, 1, 2, 5))):
        document = index.documents.add(relative_path=text(chance.choice(("a.py", "b/c.py", word(chance)))))
        for _ in range(chance.choice((0, 2, 9, 60))):
            document.occurrences.add(
                range=span(),
                symbol=chance.choice(symbols),
                symbol_roles=chance.choice((0, 1, 1, 2, 9)),
                enclosing_range=span(),
            )
        for _ in range(chance.randrange(4)):
            said = document.symbols.add(symbol=chance.choice(symbols), kind=chance.choice((0, 7, 17, 999)))
            said.display_name = text(word(chance))
            said.relationships.add(symbol=chance.choice(symbols), is_implementation=chance.random() < 0.5)
    return damaged(chance, index.SerializeToString())


def sample(chance: Chance, suffix: str) -> bytes:
    return chance.choice([path.read_bytes() for path in sorted(SAMPLES.rglob(f"*{suffix}"))])


# -- documents and settings ------------------------------------------------------------------------------------------

IDS = ("", "core", "core/order.py", "page.py", "plan:1", "missing")


def view_data(chance: Chance) -> dict[str, Any]:
    """What a document keeps of the view."""
    some = lambda: [chance.choice((*IDS, word(chance))) for _ in range(chance.randrange(4))]
    scale = lambda: {"kind": chance.choice(("log", "linear", "x")), "low": number(chance), "high": number(chance)}
    return {
        "root": chance.choice((*IDS, word(chance))),
        "expanded": some(),
        "hidden": some(),
        "only": chance.choice(WORDS),
        "mapping": {
            "angle": "sloc",
            "height": chance.choice(("sloc", word(chance))),
            "color": "bytes",
            "height_scale": scale(),
            "color_scale": scale(),
            "color_map": chance.choice(("ember", word(chance))),
            "thickness": "count",
            "relations": "thesis",
            "combine": {"height": chance.choice(("sum", word(chance)))},
        },
        "beta": number(chance),
        "guesses": True,
        "external": chance.choice((False, 1)),
        "kinds_off": some(),
        "filter": {
            "mode": chance.choice(("all", word(chance))),
            "depth": number(chance),
            "direction": "both",
            "confidence": number(chance),
            "distance": number(chance),
            "cycles": True,
        },
        "since": number(chance),
        "hierarchy": chance.choice(("", "packages", "csv:/x", word(chance))),
        "places": {chance.choice(("packages", word(chance))): {"root": "", "expanded": some()}},
    }


def views_data(chance: Chance) -> dict[str, Any]:
    """A view with named views."""
    camera = lambda: (
        {name: number(chance) for name in ("azimuth", "elevation", "zoom", "fov")} | {"center": [number(chance), 0.5]}
    )
    named = [
        {"name": word(chance), "view": view_data(chance), "camera": camera(), "fitted": chance.choice((True, False, 1))}
        for _ in range(chance.choice((0, 1, 3)))
    ]
    return view_data(chance) | {"named": named}


def operation(chance: Chance) -> dict[str, Any]:
    one = lambda: chance.choice((*IDS, *IDS, word(chance)))
    several = lambda: [one() for _ in range(chance.randrange(1, 3))]
    data = chance.choice(
        (
            {"op": "move", "nodes": several(), "target": one()},
            {"op": "remove", "nodes": several()},
            {"op": "create", "node": "plan:1", "parent": one(), "name": word(chance), "kind": "folder"},
            {"op": "rename", "node": one(), "name": word(chance)},
            {"op": "merge", "source": one(), "target": one()},
            {"op": "split", "source": one(), "target": one(), "via": one(), "form": chance.choice(("invert", "route"))},
            {"op": "extract", "container": one(), "partner": one(), "target": "plan:2"},
        )
    )
    return data if chance.random() < 0.9 else mutated(chance, data)


def document_data(chance: Chance) -> dict[str, Any]:
    groups = lambda: [{"label": word(chance), "operations": [operation(chance)]} for _ in range(chance.randrange(3))]
    names = list(dict.fromkeys(["Plan 1", *(word(chance) for _ in range(chance.randrange(3)))]))
    return {
        "format": "cbvtool-document",
        "version": 1,
        "subject": {
            "path": chance.choice(("shop", "../shop", "/x", word(chance))),
            "name": word(chance),
            "commit": "a",
        },
        "plans": [{"name": name, "operations": groups(), "undone": groups()} for name in names],
        "active": chance.choice(names),
        "view": views_data(chance),
    }


def document(chance: Chance) -> bytes:
    data = document_data(chance)
    return damaged(chance, json_text(chance, mutated(chance, data) if chance.random() < 0.6 else data))


def views(chance: Chance) -> bytes:
    """The view of a document, mutated; what is around it stays valid, so that it is always looked at."""
    data = document_data(chance) | {"view": mutated(chance, views_data(chance))}
    data["subject"] = {"path": "shop", "name": "shop"}
    data["plans"], data["active"] = [{"name": "Plan 1", "operations": []}], "Plan 1"
    return json_text(chance, data)


def toml(chance: Chance) -> bytes:
    def say(deep: int = 0) -> str:
        sort = chance.randrange(8)
        if sort < 4:
            text = word(chance).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
            return f'"{text}"'
        if sort == 4:
            return chance.choice(("1", "-1.5", "nan", "inf", "true", "1979-05-27", "0xff", str(10**30), "1e999"))
        if sort == 5 and deep < 4:
            return "[" + ", ".join(say(deep + 1) for _ in range(chance.randrange(4))) + "]"
        if sort == 6 and deep < 4:
            return (
                "{"
                + ", ".join(f"{key()} = {say(deep + 1)}" for key in [lambda: chance.choice(("from", "to", "a"))])
                + "}"
            )
        return '["a", "b/*.py"]'

    keys = {
        "analysis": ("exclude", "generated", "vendored", "tests", "entry_points", "include_paths", "source_roots", "x"),
        "rules": ("layers", "deny", "cycles", "rule", "x"),
    }
    lines = []
    for section in ("analysis", "rules", *chance.choice(((), ("x",), ("analysis.x",)))):
        lines.append(chance.choice((f"[{section}]", f"[{section}]", f"[[{section}]]", "")))
        for key_ in chance.sample(keys.get(section, ("a", "b")), chance.randrange(3) if section != "x" else 1):
            dotted = f"{key_}{'.a' * chance.choice((0, 0, 0, 0, 1, 5, 300))}"
            good = {"layers": '["ui", "core"]', "deny": '[{from = "core", to = "page.py"}]', "cycles": '"forbid"'}
            lines.append(f"{dotted} = {good[key_] if key_ in good and chance.random() < 0.5 else say()}")
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


def settings(chance: Chance) -> bytes:
    """The file that the window keeps its settings in."""
    names = (
        "recent",
        "folder",
        "theme",
        "looks",
        "styles",
        "reduced_motion",
        "minimap",
        "shortcuts",
        "editor",
        "label_size",
        "searches",
        "geometry",
        "docks",
        word(chance),
    )
    lines = ["[General]"]
    for name in chance.sample(names, chance.randrange(len(names))):
        odd = json_text(chance, value(chance)).decode("utf-8", "replace").replace("\\", "\\\\").replace('"', '\\"')
        looks = json.dumps(
            [{"name": word(chance), "mapping": mutated(chance, view_data(chance)["mapping"])}], default=str
        )
        said = chance.choice(
            (
                f'"{odd}"',
                word(chance),
                ", ".join(word(chance) for _ in range(3)),
                "@ByteArray(abc\\0\\x1)",
                "@Invalid()",
                "@Variant(\\0\\0\\0\\x7f)",
                "@Point(1 2)",
                "@Rect(1 2 3 4)",
                "true",
                "1",
                '"{\\"open\\": [1, \\"Ctrl+O\\"]}"',
                '"' + looks.replace("\\", "\\\\").replace('"', '\\"') + '"',
                '"' + "[" * chance.choice((5, 3_000)) + '"',
            )
        )
        lines.append(f"{name}={said}")
    return damaged(chance, "\n".join(lines).encode("utf-8", "replace") + b"\n")


# Reader -> what makes its inputs, and the ending of their files; those of traces stand in `trace_inputs`.
USUAL_INPUTS: dict[str, tuple[Callable[[Chance], bytes], str]] = {
    "json": (json_graph, ".json"),
    "graphml": (graphml_graph, ".graphml"),
    "dot": (dot_graph, ".dot"),
    "gxl": (gxl_graph, ".gxl"),
    "csv": (csv_graph, ".csv"),
    "rsf": (rsf_graph, ".rsf"),
    "scip": (scip_graph, ".scip"),
    "document": (document, ".cbv"),
    "views": (views, ".cbv"),
    "recovery": (document, ".cbv"),
    "toml": (toml, ".toml"),
    "table": (hierarchy_table, ".csv"),
    "settings": (settings, ".conf"),
}
