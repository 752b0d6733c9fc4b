"""NEW-17: with the switch, or the configuration entry, no name of a person is shown anywhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cbvtool.asking import table
from cbvtool.asking.search import Matches
from cbvtool.cli import DONE, main
from cbvtool.formats import write_graph
from cbvtool.geometry.overlay.item_facts import item_facts
from cbvtool.history.path_modules import modules_at
from cbvtool.history.people_table import table_of_authors, table_of_modules
from cbvtool.history.ranking import ranking
from cbvtool.plan.export import About, to_csv, to_json, to_markdown
from cbvtool.project import Project, open_project
from cbvtool.session import Session

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
NAMES = ("zelda", "quux", "zq")  # no letters of commit ids, nor of paths here


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of one author, who is named in a subject, too."""
    root = tmp_path_factory.mktemp("named") / "shop"
    (root / "core").mkdir(parents=True)
    who = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in _WHO.items()}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=root, env=CLEAN | who, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for number in range(6):
        for name in ("a.py", "b.py"):
            (root / "core" / name).write_text(f"def f():\n    return {number}\n")
        git("add", "-A")
        git("commit", "-q", "-m", "Reviewed by Zelda")
    return root


_WHO = {"NAME": "Zelda Quux", "EMAIL": "zq@hyrule.org"}


@pytest.fixture(scope="module")
def project(folder: Path) -> Project:
    return open_project(folder, cache=False, jobs=1)


@pytest.fixture
def session(project: Project) -> Session:
    opened = Session()
    opened.open(project)
    opened.move([opened.graph.key_of["core/a.py"]], opened.graph.root)
    return opened


def places(session: Session, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """(place, all that it says) of each place where a name could be."""
    graph, project = session.graph, session.project
    assert project is not None
    assert project.changes is not None
    session.map("color", "main_author")
    session.set_view(expanded=frozenset(range(len(graph))))
    scene = session.scene()
    metric = scene.values.metrics["main_author"].of(scene.values.subject)
    assert metric.classes is not None
    yield "legend", " ".join((*metric.classes(), *scene.class_order))
    facts = item_facts(scene)
    yield "tooltip", " ".join(line for item in range(len(scene.tree)) for line in facts.lines(item))
    key = graph.key_of["core/b.py"]
    yield "details", metric.show(float(scene.values["main_author"][key]))
    yield "whom to ask", " ".join(name for name, _ in session.people.ask_about((key,)))
    find = session.people.tables()
    assert find is not None
    people = find()
    modules = modules_at(people.changes.paths, 1)
    yield "table of folders", table_of_modules(people, *modules).to_csv()
    yield "table of authors", table_of_authors(people).to_text()
    tasks, about = session.full_task_list(), About("shop", "")
    yield "tasks", " ".join((to_csv(tasks), to_json(tasks, about), to_markdown(tasks, about)))
    found = Matches(scene.tree.key)
    yield "query", table.to_csv(graph, found, [metric], scene.values)
    write_graph(project.graph, tmp_path / "graph.json", project.history)
    yield "saved graph", (tmp_path / "graph.json").read_text()
    ranked = ranking(session.state.bare, project.changes, session.coupling.options)
    yield "commits of a coupling", " ".join(ranked.changes.subjects)
    owners = session.grouped("owners").found
    assert owners is not None
    yield "hierarchy", " ".join(owners.target.names)


def test_every_place_has_names_until_they_are_hidden(session: Session, tmp_path: Path) -> None:
    """The test looks where names are: each place shows one without the switch, and none with it."""
    silent = [place for place, said in places(session, tmp_path) if not _names(said)]
    assert silent == []
    session.hide_names(True)
    telling = [(place, _names(said)) for place, said in places(session, tmp_path) if _names(said)]
    assert telling == []
    session.hide_names(False)
    assert [place for place, said in places(session, tmp_path) if not _names(said)] == []


def test_a_hierarchy_of_owners_that_is_shown_loses_its_names_at_once(session: Session) -> None:
    """Names are hidden also where they are the names of groups."""
    session.show_in("owners")
    assert _names(" ".join(session.graph.names))
    session.hide_names(True)
    assert not _names(" ".join(session.graph.names))
    session.hide_names(False)
    assert _names(" ".join(session.graph.names))


def test_the_configuration_entry_hides_them_wherever_the_project_is_opened(folder: Path, tmp_path: Path) -> None:
    """`hide_names = true` in `cbvtool.toml`; the switch cannot show them again."""
    settings = folder / "cbvtool.toml"
    settings.write_text("[people]\nhide_names = true\nleavers = ['Zelda Quux']\n[people.teams]\nHeroes = ['zq@*']\n")
    try:
        opened = Session()
        opened.open(open_project(folder, cache=False, jobs=1))
        opened.move([opened.graph.key_of["core/a.py"]], opened.graph.root)
        opened.hide_names(False)
        assert opened.people.must_hide
        assert [(place, _names(said)) for place, said in places(opened, tmp_path) if _names(said)] == []
        assert opened.people.ask_about((opened.graph.key_of["core"],))[0][1].quiet  # has left: names were known then
        assert opened.metrics["main_team"].names is not None
        settings.write_text("[people]\nhide_names = 'yes'\n")
        unclear = open_project(folder, cache=False, jobs=1)
        assert unclear.changes is not None
        assert unclear.changes.authors == ("Person 1",)
        assert any("hide_names must be true or false" in note for note in unclear.changes.notes)
    finally:
        settings.unlink()


@pytest.mark.parametrize(
    "command",
    [
        ("query", "kind:file and commits > 0", "--metrics", "main_author"),
        ("analyze",),
        ("people",),
        ("people", "--by", "author"),
        ("coupling", "--least", "1"),
    ],
    ids=lambda words: "-".join(words[:2]),
)
@pytest.mark.parametrize("hidden", [True, False])
def test_no_command_tells_a_name(
    folder: Path, command: tuple[str, ...], hidden: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The configuration entry counts on the command line, too."""
    settings, out = folder / "cbvtool.toml", tmp_path / "out.json"
    settings.write_text(f"[people]\nhide_names = {str(hidden).lower()}\n")
    more = ("-o", str(out)) if command[0] == "analyze" else ("--format", "csv")
    try:
        assert main([command[0], str(folder), *command[1:], *more]) == DONE
        said = capsys.readouterr().out + (out.read_text() if out.exists() else "")
        assert bool(_names(said)) == (not hidden and command[0] != "coupling")
    finally:
        settings.unlink()


def _names(said: str) -> list[str]:
    return [name for name in NAMES if name in said.casefold()]
