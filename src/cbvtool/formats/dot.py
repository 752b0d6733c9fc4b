"""DOT, the language of Graphviz: clusters are the hierarchy; ports, defaults, records and HTML texts are understood.

The output contains everything in the graph except sites in the source, history and report. A container is a cluster; a
container with relations of its own is also a node inside the cluster, with the same id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

from cbvtool.budget import Budget
from cbvtool.formats.attributes import EDGE, NODE, edge_roles, metric_column, plain_number
from cbvtool.formats.content import Damaged, text_of
from cbvtool.formats.dot_tokens import END, Token, label, plain, quoted, tokens
from cbvtool.formats.foreign import ROOT, Foreign
from cbvtool.graph import NO_PARENT, Graph, When
from cbvtool.graph.records import WHEN, NodeRecord, edge_records, node_records

MARK = "// a graph of cbvtool"
_CLUSTER = "cluster"
_PAIR_SIZE = 200  # bytes of memory of two keys in a set
_SCOPE_SIZE, _MEMBER_SIZE = 1000, 16  # bytes of memory of a pair of braces, and of a node named inside
_OWN_CLUSTER = "cluster:"  # prefix of the id of a container, in our output
_WORDS = {"node", "edge", "graph"}
_INHERITED = {"node": {*NODE["kind"], "shape"}, "edge": {*EDGE["kind"], *EDGE["weight"]}}
_RECORDS = {"record", "Mrecord"}
# Attributes that only affect drawing (https://graphviz.org/doc/info/attrs.html).
_DRAWING = frozenset(
    """Damping K URL area arrowhead arrowsize arrowtail bb beautify bgcolor center charset clusterrank color colorscheme
    comment compound concentrate constraint decorate defaultdist dim dimen dir diredgeconstraints distortion dpi edgeURL
    edgehref edgetarget edgetooltip epsilon esep fillcolor fixedsize fontcolor fontname fontnames fontpath fontsize
    forcelabels gradientangle group head_lp headURL headclip headhref headlabel headport headtarget headtooltip height
    href id image imagepath imagepos imagescale inputscale labelURL label_scheme labelangle labeldistance labelfloat
    labelfontcolor labelfontname labelfontsize labelhref labeljust labelloc labeltarget labeltooltip landscape layer
    layerlistsep layers layerselect layersep layout len levels levelsgap lheight lp ltail lhead lwidth margin maxiter
    mclimit mindist minlen mode model mosek newrank nodesep nojustify normalize notranslate nslimit nslimit1 oneblock
    ordering orientation outputorder overlap overlap_scaling overlap_shrink pack packmode pad page pagedir pencolor
    penwidth peripheries pin pos quadtree quantum rank rankdir ranksep ratio rects regular remincross repulsiveforce
    resolution root rotate rotation samehead sametail samplepoints scale searchsize sep shape shapefile showboxes sides
    size skew smoothing sortv splines start style stylesheet tail_lp tailURL tailclip tailhref taillabel tailport
    tailtarget tailtooltip target tooltip truecolor vertices viewport voro_margin width xdotversion xlabel xlp z
    """.split()  # noqa: SIM905 - a list of 170 quoted words is no easier to read
)


_Members = list[Any]  # keys, and nested lists for inner braces, which are never copied


def read(data: bytes, name: str, budget: Budget) -> Graph:
    """The graph in a DOT file; `name` is used if it has no name. Raises Damaged and OverBudget."""
    return _Reader(text_of(data, budget), name, budget).graph()


@dataclass
class _Scope:
    """State inside one pair of braces.

    cluster   key of the container for nodes named here
    own       whether these are the braces of that container
    defaults  inherited attributes of nodes and edges
    members   nodes named here: keys, and nested lists for inner braces
    chain     ends of the current statement: keys of nodes, or nested lists
    given     attributes of the current statement
    linked    whether the last token was an edge operator
    """

    cluster: int
    own: bool
    defaults: dict[str, dict[str, Token]]
    members: _Members = field(default_factory=list)
    chain: list[int | _Members] = field(default_factory=list)
    given: dict[str, Token] = field(default_factory=dict)
    linked: bool = False


class _Reader:
    def __init__(self, text: str, name: str, budget: Budget) -> None:
        self._tokens = tokens(text)
        self._ahead = next(self._tokens)
        self._foreign = Foreign(name, budget, structured=text.startswith(MARK))
        self._ids: dict[int, str] = {ROOT: ""}
        self._scopes: list[_Scope] = []
        self._strict: set[tuple[int, int]] | None = None
        self._undirected = 0

    def graph(self) -> Graph:
        if self._ahead == END:
            raise Damaged("it is empty")
        while self._ahead != END:
            self._header()
            self._body()
        self._foreign.note(self._undirected, "relation has", "relations have", "no direction: shown as written")
        return self._foreign.graph()

    # -- tokens

    def _next(self) -> Token:
        token, self._ahead = self._ahead, next(self._tokens, END)
        return token

    def _next_is(self, mark: str) -> bool:
        """Consume the next token if it is this punctuation mark."""
        if self._ahead.text != mark or self._ahead.sort != "mark":
            return False
        self._next()
        return True

    def _word(self) -> Token:
        """Consume a word; quoted words joined by `+` are one."""
        token = self._next()
        if token.sort == "mark":
            raise Damaged(f"it stops where a name should stand: {token.text or 'the end of the file'}")
        if token.sort != "quoted" or self._ahead.text != "+":
            return token
        parts = [token.text]
        while self._next_is("+"):
            part = self._next()
            if part.sort == "mark":
                raise Damaged(f"it stops where a name should stand: {part.text or 'the end of the file'}")
            parts.append(part.text)
        return Token("quoted", "".join(parts))

    # -- the structure

    def _header(self) -> None:
        sort = self._next()
        if sort.sort == "word" and sort.text.lower() == "strict":
            self._strict, sort = set(), self._next()
        if sort.sort != "word" or sort.text.lower() not in ("graph", "digraph"):
            raise Damaged(f"it is not DOT: it begins with {sort.text[:40]!r}, not with graph or digraph")
        if self._ahead.sort != "mark":
            self._foreign.name = plain(self._word())
        if not self._next_is("{"):
            raise Damaged("it is not DOT: there is no { after its name")

    def _body(self) -> None:
        self._scopes.append(_Scope(ROOT, True, {"node": {}, "edge": {}}))
        while self._scopes:
            scope, token = self._scopes[-1], self._ahead
            if token.sort != "mark":
                self._statement(scope)
                continue
            self._next()
            if token.text in (";", ","):
                self._flush(scope)
            elif token.text in ("->", "--"):
                if not scope.chain or scope.linked:
                    raise Damaged(f"the edge {token.text} has no source node")
                scope.linked = True
                self._undirected += token.text == "--"
            elif token.text == "[":
                scope.given |= self._attributes()
            elif token.text == "{":
                self._open(scope, "")
            elif token.text == "}":
                self._close(scope)
            else:
                raise Damaged(f"it stops at {token.text!r}" if token.text else "it is cut off: a } is missing")

    def _statement(self, scope: _Scope) -> None:
        word = self._word()
        bare = word.text.lower() if word.sort == "word" else ""
        if bare == "subgraph":
            name = "" if self._ahead.sort == "mark" else plain(self._word())
            if not self._next_is("{"):
                raise Damaged(f"the subgraph {name[:40]!r} has no braces")
            self._open(scope, name)
        elif bare in _WORDS and self._ahead == Token("mark", "["):
            self._flush(scope)
            while self._next_is("["):
                self._default(scope, bare, self._attributes())
        elif self._next_is("="):
            self._flush(scope)
            self._default(scope, "graph", {plain(word): self._word()})
        else:
            if not scope.linked:
                self._flush(scope)
            self._mention(scope, plain(word))
            while self._next_is(":"):  # a port, and its side
                self._word()

    def _attributes(self) -> dict[str, Token]:
        given: dict[str, Token] = {}
        while (ahead := self._ahead).text != "]" or ahead.sort != "mark":
            if ahead.sort == "mark" and ahead.text in (",", ";"):
                self._next()
                continue
            name = plain(self._word())
            given[name] = self._word() if self._next_is("=") else Token("word", "true")
        self._next()
        return given

    def _default(self, scope: _Scope, what: str, given: dict[str, Token]) -> None:
        if what == "graph":
            if scope.own:
                self._describe(scope.cluster, given)
            return
        kept = {name: token for name, token in given.items() if name.lower() in _INHERITED[what]}
        scope.defaults[what] = scope.defaults[what] | kept

    def _open(self, scope: _Scope, name: str) -> None:
        if not scope.linked:
            self._flush(scope)
        cluster, own = scope.cluster, name.startswith(_CLUSTER)
        if own:
            cluster = self._cluster(name)
            self._put(scope, cluster)
        self._foreign.spend(0, _SCOPE_SIZE)
        self._scopes.append(_Scope(cluster, own, dict(scope.defaults)))

    def _cluster(self, name: str) -> int:
        """Key of the container for a cluster of this name."""
        node = name.removeprefix(_OWN_CLUSTER)
        is_new = node not in self._foreign
        key = self._foreign.add(node)
        self._remember(key, node)
        if is_new and node == name:
            self._foreign.describe(key, {"label": name.removeprefix(_CLUSTER).lstrip("_") or name})
        return key

    def _close(self, scope: _Scope) -> None:
        self._flush(scope)
        self._scopes.pop()
        if not self._scopes:
            return
        outer = self._scopes[-1]
        outer.members.append(scope.members)
        outer.chain.append(scope.members)
        outer.linked = False

    def _mention(self, scope: _Scope, node: str) -> None:
        key = self._foreign.add(node)
        self._remember(key, node)
        self._put(scope, key)
        self._foreign.spend(0, _MEMBER_SIZE)
        scope.members.append(key)
        scope.chain.append(key)
        scope.linked = False

    def _put(self, scope: _Scope, key: int) -> None:
        """Put a node into the innermost cluster in which it is named."""
        above = self._foreign.parent(key)
        if scope.cluster == ROOT or key in (ROOT, scope.cluster):
            return
        if above == NO_PARENT:
            self._foreign.contain(scope.cluster, key)
        elif above != scope.cluster and any(outer.cluster == above for outer in self._scopes[:-1]):
            self._foreign.move(scope.cluster, key)

    def _remember(self, key: int, node: str) -> None:
        self._ids.setdefault(key, node)

    # -- the meaning

    def _flush(self, scope: _Scope) -> None:
        """Add the edges or the node of a complete statement."""
        if scope.linked:
            raise Damaged("an edge has no target node")
        if len(scope.chain) > 1:
            self._relate(scope)
        elif scope.chain and isinstance(scope.chain[0], int):
            self._describe(scope.chain[0], scope.defaults["node"] | scope.given)
        scope.chain, scope.given = [], {}

    def _relate(self, scope: _Scope) -> None:
        tokens_of = scope.defaults["edge"] | scope.given
        given = {name: label(token, "", record=False) for name, token in tokens_of.items() if name not in _DRAWING}
        ends = {end: self._cluster(plain(tokens_of[end])) for end in ("ltail", "lhead") if end in tokens_of}
        said = edge_roles(given)
        for before, after in pairwise(map(self._nodes, scope.chain)):
            if len(before) > 1 or len(after) > 1:
                # Count the edges before creating them: `{a b c} -> {d e f}` are nine, and small files could denote
                # billions.
                self._foreign.check(len(before) * len(after))
            for source, target in product(before, after):
                self._edge(ends.get("ltail", source), ends.get("lhead", target), len(given), said)

    def _nodes(self, end: int | _Members) -> list[int]:
        """The nodes denoted by an end of an edge."""
        if isinstance(end, int):
            return [end]
        found: dict[int, None] = {}
        todo: list[Iterator[Any]] = [iter(end)]
        while todo:
            for member in todo[-1]:
                self._foreign.spend(1, 0)
                if isinstance(member, list):
                    todo.append(iter(member))
                    break
                found[member] = None
            else:
                todo.pop()
        return list(found)

    def _edge(self, source: int, target: int, told: int, said: dict[str, str]) -> None:
        """Add an edge. told: number of its attributes, `said`: their roles."""
        if self._strict is not None:
            if (source, target) in self._strict:
                return
            self._foreign.spend(0, _PAIR_SIZE)
            self._strict.add((source, target))
        self._foreign.relate_as(source, target, told, said)

    def _describe(self, key: int, given: dict[str, Token]) -> None:
        record = "shape" in given and plain(given["shape"]) in _RECORDS
        said = {}
        for name, token in given.items():
            if name == "label":
                said[name] = label(token, self._ids[key], record)
            elif name not in _DRAWING:
                said[name] = plain(token)
        if said:
            self._foreign.describe(key, said)


# -- writing -----------------------------------------------------------------------------------------------------


def text(graph: Graph) -> Iterator[str]:
    """The DOT text of `graph`, in pieces."""
    taken = {name.lower() for name in _DRAWING}
    columns = {metric: quoted(metric_column(metric, taken)) for metric in graph.values}
    edges = graph.edges
    ends = {graph.ids[key] for key in {*edges.source.tolist(), *edges.target.tolist()}}
    inner = {graph.ids[key] for key in set(graph.parent.tolist()) if key >= 0}
    yield f"{MARK}\ndigraph {quoted(graph.name)} {{\n"
    around: list[str] = []
    for node in node_records(graph):
        while around and around[-1] != node["parent"]:
            around.pop()
            yield "}\n"
        said = _attributes(node, columns)
        if node["parent"] is None:
            around.append(node["id"])
            yield f"graph [{said}]\n"
        elif node["id"] in inner:
            around.append(node["id"])
            itself = f"{quoted(node['id'])} [shape=point]\n" if node["id"] in ends else ""
            yield f"subgraph {quoted(_OWN_CLUSTER + node['id'])} {{\ngraph [{said}]\n{itself}"
        else:
            yield f"{quoted(node['id'])} [{said}]\n"
    yield "}\n" * (len(around) - 1)
    for edge in edge_records(graph):
        when = "" if edge["when"] == WHEN[When.ALWAYS] else f" when={quoted(edge['when'])}"
        yield (
            f"{quoted(edge['source'])} -> {quoted(edge['target'])} [kind={quoted(edge['kind'])} "
            f"weight={_numeral(edge['weight'])} confidence={edge['confidence']}{when}]\n"
        )
    yield "}\n"


def _attributes(node: NodeRecord, columns: dict[str, str]) -> str:
    said = [f"label={quoted(node['name'])}", f"kind={quoted(node['kind'])}"]
    if node["file"]:
        said.append(f"file={quoted(node['file'])}")
    said += [f"{place}={node[place]}" for place in ("line", "end_line") if node[place]]
    return " ".join(said + [f"{columns[name]}={_numeral(value)}" for name, value in node["metrics"].items()])


def _numeral(value: float) -> str:
    """`value` as a word; DOT has no exponents."""
    text = plain_number(value)
    return quoted(text) if "e" in text else text
