"""The rules of `cbvtool.toml` by kind (NEW-5): what they forbid, what they refuse, what their chains are."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.graph import EXTERNAL, Graph, GraphBuilder, When
from cbvtool.plan import History, Move, group
from cbvtool.rules import Violation, breaking, parse_rules, violations
from cbvtool.rules.chains import FileLinks
from cbvtool.rules.node_patterns import NodeNames
from cbvtool.rules.rule_kinds import words_of
from cbvtool.rules.rule_tables import KINDS, rule_of, table_of
from cbvtool.rules.violations import judged_rules, unknown_nodes

FILES = ("web/a.py", "web/api/b.py", "core/c.py", "core/inner/d.py", "db/e.js", "free/f.py")


def project(*uses: tuple[str, str, int] | tuple[str, str, int, str]) -> Graph:
    """The files above, with a class `core/c.py::C` and a package outside; uses are (user, used, line, kind)."""
    builder = GraphBuilder("project")
    for path in FILES:
        *folders, name = path.split("/")
        for depth in range(1, len(folders) + 1):
            if (folder := "/".join(folders[:depth])) not in builder:
                builder.add_node(folder, "/".join(folders[: depth - 1]), folders[depth - 1], "folder")
        builder.add_node(path, "/".join(folders), name, "file", file=path)
    builder.add_node("core/c.py::C", "core/c.py", "C", "class", file="core/c.py")
    builder.add_node(EXTERNAL, "", "(external)", EXTERNAL)
    builder.add_node("external:numpy", EXTERNAL, "numpy", EXTERNAL)
    for user, used, line, *kind in uses:
        sites = [(user.partition("::")[0], line)]
        when = When.TYPE_CHECKING if kind == ["typing"] else When.ALWAYS
        builder.add_edge(
            builder.key(user), builder.key(used), kind[0] if kind and not when else "import", when=when, sites=sites
        )
    return builder.freeze()


USES = (
    ("web/a.py", "core/c.py", 1),
    ("web/a.py", "web/api/b.py", 2),
    ("core/c.py", "web/api/b.py", 3),
    ("core/c.py", "core/inner/d.py", 4),
    ("core/c.py::C", "db/e.js", 5, "call"),
    ("core/inner/d.py", "external:numpy", 6),
    ("free/f.py", "db/e.js", 7),
    ("core/inner/d.py", "free/f.py", 8),
    ("db/e.js", "web/a.py", 9, "typing"),
)


def lines(found: Iterable[Violation]) -> list[list[int]]:
    return [[line for _, line in each.sites] for each in found]


def judged(table: str, graph: Graph | None = None) -> list[list[int]]:
    return lines(violations(graph or project(*USES), parse_rules(f"[[rules.rule]]\n{table}")))


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ('kind = "layers"\nlayers = ["web", "core", "db"]', [[3], [9]]),
        ('kind = "layers"\nlayers = ["web", ["core", "db"]]', [[3], [5], [9]]),
        ('kind = "layers"\nlayers = ["web", "core", "db"]\ntype_checking = false', [[3]]),
        ('kind = "layers"\nlayers = ["web/api", "web", "core"]', [[2], [3]]),
        ('kind = "forbidden"\nfrom = "core"\nto = ["web", "external:numpy"]', [[3], [6]]),
        ('kind = "forbidden"\nfrom = "**/*.py"\nto = "**/*.js"', [[5], [7]]),
        ('kind = "forbidden"\nfrom = "**/*.py"\nto = "**/*.js"\nrelations = "imports"', [[7]]),
        ('kind = "forbidden"\nfrom = "re:^(core|free)/"\nto = "db"', [[5], [7]]),
        ('kind = "forbidden"\nfrom = "core/c.py::C"\nto = "db"', [[5]]),
        ('kind = "forbidden"\nfrom = "core/c.py::C"\nto = "web"', []),
        ('kind = "forbidden"\nfrom = "web"\nto = "web/api"', [[2]]),
        ('kind = "allowed"\nfrom = "core"\nto = "db"', [[3], [8]]),
        ('kind = "allowed"\nfrom = "core"\nto = "db"\nexternal = true', [[3], [6], [8]]),
        ('kind = "allowed"\nfrom = "free"', [[7]]),
        ('kind = "independence"\nmodules = ["core", "db", "free"]', [[5], [8], [7]]),
        ('kind = "independence"\nmodules = "*"', [[1], [3], [5], [7], [8], [9]]),
        ('kind = "protected"\nmodules = "db"', [[5], [7]]),
        ('kind = "protected"\nmodules = "db"\nusers = "core"', [[7]]),
        ('kind = "interface"\nmodules = "web"\npublic = "web/api"', [[9]]),
        ('kind = "interface"\nmodules = "core"\npublic = "core/inner"', [[1]]),
        ('kind = "interface"\nmodules = ["core", "db"]\npublic = []', [[1], [5], [7]]),
        ('kind = "acyclic"', [[1], [3]]),
        ('kind = "acyclic"\ntype_checking = true', [[1], [3], [5], [7], [8], [9]]),
        ('kind = "acyclic"\ntype_checking = true\nwithin = "core"', []),
        ('kind = "protected"\nmodules = "db"\nignore = [{from = "core/*", to = "db", reason = "for now"}]', [[7]]),
    ],
)
def test_direct_rules(table: str, found: list[list[int]]) -> None:
    """NEW-5: each kind, by id, glob and pattern; imports or any dependency; what is ignored."""
    assert sorted(judged(table)) == sorted(found)


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ('kind = "forbidden"\nfrom = "web"\nto = "db"\nover = "chains"', [[1, 5], [1, 4, 8, 7]]),
        ('kind = "forbidden"\nfrom = "core/inner"\nto = "db"\nover = "chains"', [[8, 7]]),
        (
            'kind = "forbidden"\nfrom = "core/inner"\nto = "db"\nover = "chains"\n'
            'ignore = [{from = "free", to = "db"}]',
            [],
        ),
        ('kind = "layers"\nlayers = ["db", "core"]\nover = "chains"', [[5], [8, 7]]),
        ('kind = "layers"\nlayers = ["db", "free", "core"]\nover = "chains"', [[5], [7], [8]]),
        ('kind = "independence"\nmodules = ["core/inner", "db"]\nover = "chains"', [[8, 7], [9, 1, 4]]),
    ],
)
def test_chains(table: str, found: list[list[int]]) -> None:
    """NEW-5: over other files, but not over other layers or modules of the rule."""
    if "forbidden" in table and 'from = "web"' in table:
        found = [[1, 5]]  # the shortest chain of a pair of files
    assert sorted(judged(table)) == sorted(found)


def test_a_chain_names_each_of_its_links() -> None:
    """NEW-5: importer, imported, file and line of each; and the relations behind it are those that break the rule."""
    graph = project(*USES)
    rules = parse_rules(
        '[[rules.rule]]\nkind = "forbidden"\nname = "n"\nfrom = "web"\nto = "db"\nover = "chains"\nreason = "because"'
    )
    (one,) = violations(graph, rules)
    assert [(graph.ids[link.source], graph.ids[link.target], link.sites) for link in one.links] == [
        ("web/a.py", "core/c.py", (("web/a.py", 1),)),
        ("core/c.py", "db/e.js", (("core/c.py", 5),)),
    ]
    assert (one.rule, one.detail, one.reason) == ("n", "web must not use db", "because")
    assert np.flatnonzero(breaking(graph, rules)).tolist() == sorted(one.rows)
    assert len(one.rows) == 2


def test_patterns_follow_the_plan() -> None:
    """NEW-5: a file that is moved into a folder is judged by where it then lies."""
    graph = project(*USES)
    moved = History(graph).do(group(graph, Move(("free/f.py",), "core"))).graph
    rules = parse_rules('[[rules.rule]]\nkind = "forbidden"\nfrom = "core/*.py"\nto = "db"')
    assert sorted(lines(violations(graph, rules))) == [[5]]
    assert sorted(lines(violations(moved, rules))) == [[5], [7]]


def test_what_names_nothing_is_told() -> None:
    """NEW-5: such a rule, or entry of `ignore`, guards nothing."""
    rules = parse_rules(
        '[[rules.rule]]\nkind = "forbidden"\nfrom = "nowhere/**"\nto = "db"\nignore = [{from = "core", to = "free/x"}]'
    )
    assert unknown_nodes(project(*USES), rules) == [
        "The rule “nowhere/** must not use db” names nowhere/**, which is not there.",
        "A rule ignores what core uses of free/x, which is nothing: take the entry out.",
    ]


def test_too_many_modules_are_no_violations_but_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-5: a rule that cannot be judged does not end the judging."""
    monkeypatch.setattr("cbvtool.rules.bans.MOST_CLASSES", 3)
    rules = parse_rules(
        '[[rules.rule]]\nkind = "independence"\nmodules = "**/*.py"\n[[rules.rule]]\nkind = "protected"\nmodules = "db"'
    )
    found = judged_rules(project(*USES), rules)
    assert lines(found.violations) == [[5], [7]]
    assert len(found.notes) == 1
    assert "5 modules; at most 3" in found.notes[0]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("3", "rules.rule[0] must be a table"),
        ('{kind = "x"}', "rules.rule[0].kind must be one of layers, forbidden,"),
        ('{kind = "layers"}', "rules.rule[0] lacks 'layers'"),
        ('{kind = "layers", layers = ["a", ["b", "a"]]}', "names 'a' twice"),
        ('{kind = "forbidden", from = "a"}', "rules.rule[0] lacks 'to'"),
        ('{kind = "forbidden", from = [], to = "a"}', "rules.rule[0].from is empty"),
        ('{kind = "forbidden", from = "../a", to = "a"}', "rules.rule[0].from must lie inside the repository"),
        ('{kind = "forbidden", from = "re:(", to = "a"}', "rules.rule[0].from, 're:(', cannot be read: a ) is missing"),
        ('{kind = "forbidden", from = "re:(a{1000}){1000}", to = "a"}', "its repetitions are too large"),
        ('{kind = "forbidden", from = 1, to = "a"}', "rules.rule[0].from must be a name of nodes or a list of them"),
        ('{kind = "protected", modules = "a", over = "chains"}', "is about direct relations"),
        ('{kind = "protected", modules = "a", relations = "calls"}', 'must be "any" or "imports", not calls'),
        ('{kind = "protected", modules = "a", ignore = ["b"]}', "rules.rule[0].ignore[0] must be a table"),
        ('{kind = "protected", modules = "a", type_checking = 1}', "type_checking must be true or false"),
        ('{kind = "protected", modules = "a", reason = 1}', "rules.rule[0].reason must be a text"),
        ('{kind = "acyclic", name = "n"}, {kind = "acyclic", name = "n"}', "two rules have the name n"),
    ],
)
def test_a_wrong_table_is_refused_in_one_sentence(table: str, said: str) -> None:
    """NEW-5: with the file and the key."""
    with pytest.raises(InputError) as caught:
        parse_rules(f"[rules]\nrule = [{table}]")
    assert said in str(caught.value)
    assert str(caught.value).startswith("cbvtool.toml: ")


def test_unknown_keys_are_told() -> None:
    """NEW-11: and ignored."""
    rules = parse_rules('[rules]\nrule = [{kind = "acyclic", wihtin = "a"}]')
    assert rules.notes == ("cbvtool.toml: rules.rule[0].wihtin is not known here and is ignored.",)


NAMES = st.lists(st.sampled_from(["a", "b/*", "re:^c", "d::E", "external:f", "**/g"]), min_size=1, unique=True)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, object]:
    """Tables of rules that can be read."""
    kind = draw(st.sampled_from(KINDS))
    keys = {
        "layers": ("layers",),
        "forbidden": ("from", "to"),
        "allowed": ("from", "to"),
        "independence": ("modules",),
        "acyclic": ("within",),
        "protected": ("modules", "users"),
        "interface": ("modules", "public"),
    }[kind]
    table: dict[str, object] = {"kind": kind, **{key: draw(NAMES) for key in keys}}
    table |= draw(st.fixed_dictionaries({}, optional={"name": st.text(max_size=5), "reason": st.text(max_size=5)}))
    table |= draw(st.fixed_dictionaries({}, optional={"type_checking": st.booleans()}))
    table["ignore"] = [{"from": draw(NAMES)[0], "to": "x"}]
    if kind in ("layers", "forbidden", "independence"):
        table["over"] = draw(st.sampled_from(["direct", "chains"]))
    return table


@given(tables())
def test_a_rule_is_read_from_what_is_written_of_it(table: dict[str, object]) -> None:
    """NEW-5: `table_of` and `rule_of` are each other's inverse; every rule has words."""
    rule, notes = rule_of(table, "rule", "file")
    assert not notes
    assert rule_of(table_of(rule), "rule", "file") == (rule, [])
    assert words_of(rule)


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=25), st.lists(st.integers(0, 3), min_size=8))
def test_chains_are_the_shortest_ones(uses: set[tuple[int, int]], kinds: list[int]) -> None:
    """NEW-5: of each pair that a chain joins, as networkx has it; 0 = start, 1 = end, 2 = way, 3 = barred."""
    pairs = [(a, b) for a, b in uses if a != b]
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    of = np.array(kinds[:8])
    found = list(FileLinks(8, ends[:, 0], ends[:, 1]).shortest(of == 0, of == 1, of == 2, Budget("test")))
    assert len({(way[0], way[-1]) for way in found}) == len(found)
    known = {(way[0], way[-1]): way for way in found}
    for a, b in itertools.product(np.flatnonzero(of == 0).tolist(), np.flatnonzero(of == 1).tolist()):
        free = nx.DiGraph(pairs).subgraph([a, b, *np.flatnonzero(of == 2).tolist()])
        if a in free and b in free and nx.has_path(free, a, b):
            way = known[a, b]
            assert len(way) == nx.shortest_path_length(free, a, b) + 1
            assert all(free.has_edge(*link) for link in itertools.pairwise(way))
        else:
            assert (a, b) not in known


def test_a_pattern_names_the_topmost_nodes() -> None:
    """NEW-5: each of them is a module of its own where a rule asks for modules."""
    graph = project()
    names = NodeNames(graph, Budget("test"))
    assert [graph.ids[key] for key in names.keys("re:^(web|core)").tolist()] == ["web", "core"]
    assert [graph.ids[key] for key in names.keys("**/*.js").tolist()] == ["db/e.js"]
    assert [graph.ids[key] for key in names.keys("**/c.py::*").tolist()] == ["core/c.py::C"]
    assert [graph.ids[key] for key in names.keys("external:*").tolist()] == ["external:numpy"]
    assert [graph.ids[key] for key in names.keys("web/**").tolist()] == ["web/a.py", "web/api"]
