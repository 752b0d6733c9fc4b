"""NEW-12, NEW-17: the commands `coupling` and `people`."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from cbvtool.cli import DONE, FAILED, main
from cbvtool.cli.of_history import reading
from cbvtool.cli.reading import counted_lines
from cbvtool.formats import write_graph
from cbvtool.history import change_sets
from cbvtool.project import open_project

DAY = 86_400
BEGIN = 1_704_067_200  # 2024-01-01
Capture = pytest.CaptureFixture[str]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
# (day, author, subject, files changed): the day is that of the committer, at the last second of it.
COMMITS = (
    (0, "Ada Ng <ada@x.org>", "T-1 begin", ("core/a.py", "core/b.py", "web/c.py")),
    (1, "Ada Ng <ada@x.org>", "T-2 more", ("core/a.py", "web/c.py")),
    (2, "Bob Li <bob@y.org>", "T-1 again", ("core/a.py", "core/b.py")),
    (3, "Bob Li <bob@y.org>", "reviewed by Ada", ("core/b.py",)),
    (500, "Cyd Ro <cyd@y.org>", "T-3 late", ("web/c.py", "top.py")),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few commits by three people."""
    root = tmp_path_factory.mktemp("coupled") / "shop"
    root.mkdir()

    def git(*arguments: str, **more: str) -> None:
        subprocess.run(["git", *arguments], cwd=root, env=CLEAN | more, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for number, (day, author, subject, files) in enumerate(COMMITS):
        for name in files:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(f"x = {number}\n")
        time = f"{BEGIN + day * DAY + DAY - 1} +0000"
        git("add", "-A")
        who, mail = author.removesuffix(">").split(" <")
        git(
            *("commit", "-q", "-m", subject),
            GIT_AUTHOR_NAME=who,
            GIT_AUTHOR_EMAIL=mail,
            GIT_AUTHOR_DATE="2020-01-01T00:00:00 +0000",
            GIT_COMMITTER_NAME="C",
            GIT_COMMITTER_EMAIL="c@x.org",
            GIT_COMMITTER_DATE=time,
        )
    return root


def test_lines_are_counted_where_git_can_be_asked(repository: Path, tmp_path: Path) -> None:
    """NEW-17: of a folder, once; a graph file and a folder without history have what they have."""
    changes = open_project(repository, jobs=1, cache=False).changes
    assert changes is not None
    counted = counted_lines(changes, repository)
    assert counted is not None
    assert changes.churn is None is not counted.churn
    assert counted_lines(counted, repository) is counted
    assert counted_lines(changes, tmp_path / "graph.json") is changes
    assert counted_lines(None, repository) is None


def rows(capsys: Capture, *arguments: str | Path) -> list[dict[str, str]]:
    """What a command writes as CSV."""
    assert main([*map(str, arguments), "--format", "csv"]) == DONE
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_coupling_is_what_the_issue_defines(repository: Path, capsys: Capture) -> None:
    """NEW-12: `a,b,both,support,confidence,lift`, of every pair that was ever changed together."""
    found = rows(capsys, "coupling", repository)
    assert list(found[0]) == ["a", "b", "both", "support", "confidence", "lift"]
    sets = [set(files) for *_, files in COMMITS]
    expected = {pair for files in sets for pair in combinations(sorted(files), 2)}
    assert {(row["a"], row["b"]) for row in found} == expected
    for row in found:
        both = sum({row["a"], row["b"]} <= files for files in sets)
        confidence = both / sum(row["a"] in files for files in sets)
        assert int(row["both"]) == both
        assert float(row["support"]) == both / len(sets)
        assert float(row["confidence"]) == confidence
        assert float(row["lift"]) == pytest.approx(confidence / (sum(row["b"] in files for files in sets) / len(sets)))


def test_days_count_whole_by_the_committers_date(repository: Path, capsys: Capture) -> None:
    """Both ends are included, to the last second of the day, in UTC."""
    day = rows(capsys, "coupling", repository, "--since", "2024-01-02", "--until", "2024-01-02")
    assert [(row["a"], row["b"], row["both"], row["support"]) for row in day] == [("core/a.py", "web/c.py", "1", "1.0")]
    assert len(rows(capsys, "coupling", repository, "--until", "2024-01-01")) == 3
    assert rows(capsys, "coupling", repository, "--since", "2024-02-01", "--until", "2024-03-01") == []
    assert rows(capsys, "coupling", repository, "--since", "2024-03-01", "--until", "2024-02-01") == []


def test_pairs_of_folders_tickets_and_limits(repository: Path, capsys: Capture) -> None:
    """Levels of folders, one set for a ticket, small commits alone, the strongest pairs alone."""
    folders = rows(capsys, "coupling", repository, "--level", "1")
    assert [(row["a"], row["b"], row["both"]) for row in folders] == [("core", "web", "2"), (".", "web", "1")]
    ticket = {(r["a"], r["b"]): r for r in rows(capsys, "coupling", repository, "--ticket", r"T-\d")}
    assert ticket["core/a.py", "core/b.py"]["both"] == "1"
    assert float(ticket["core/a.py", "core/b.py"]["support"]) == 1 / 4
    assert len(rows(capsys, "coupling", repository, "--most-files", "2")) == 3
    assert [row["both"] for row in rows(capsys, "coupling", repository, "--least", "2")] == ["2", "2"]
    assert len(rows(capsys, "coupling", repository, "--limit", "1")) == 1
    assert main(["coupling", str(repository), "--ticket", "("]) == FAILED
    assert "'(' is not a pattern of tickets" in capsys.readouterr().err


def test_all_formats_say_the_same_and_may_be_written_again(repository: Path, tmp_path: Path, capsys: Capture) -> None:
    """-o replaces a result of before and nothing else."""
    for command in ("coupling", "people"):
        for form in ("text", "csv", "json"):
            out = tmp_path / f"{command}.{form}"
            for _ in range(2):
                assert main([command, str(repository), "--format", form, "-o", str(out)]) == DONE
            assert "core" in out.read_text()
        other = tmp_path / "other.txt"
        other.write_text("mine")
        assert main([command, str(repository), "-o", str(other)]) == FAILED
        assert "exists already" in capsys.readouterr().err
    said = json.loads((tmp_path / "coupling.json").read_text())
    assert said["change_sets"] == 5
    assert said["couplings"][0].keys() == {"a", "b", "both", "support", "confidence", "lift"}


def test_modules_have_owners_and_islands(repository: Path, capsys: Capture) -> None:
    """NEW-17: whose commits, how many people carry it, which parts nobody knows any more, whom to ask."""
    found = {row["module"]: row for row in rows(capsys, "people", repository, "--level", "1")}
    assert (found["core"]["commits"], found["core"]["main_author"], found["core"]["share"]) == ("4", "Bob Li", "0.5")
    assert (found["core"]["bus_factor"], found["core"]["island"], found["core"]["ask"]) == ("2", "yes", "")
    assert (found["web"]["quiet_share"], found["web"]["ask"], found["web"]["last"]) == (
        "0.666667",
        "Cyd Ro",
        "2025-05-15",
    )
    assert found["."]["island"] == "no"
    assert rows(capsys, "people", repository, "--quiet-days", "1000", "--level", "1")[0]["island"] == "no"


def test_people_and_teams_by_a_table(repository: Path, tmp_path: Path, capsys: Capture) -> None:
    """Teams and leavers come from a table, or from `cbvtool.toml`."""
    table = tmp_path / "people.csv"
    table.write_text("author,team,left\n*@y.org,Yard,\ncyd@y.org,,yes\n")
    authors = {row["author"]: row for row in rows(capsys, "people", repository, "--by", "author", "--table", table)}
    assert authors["Bob Li"]["team"] == "Yard"
    assert (authors["Cyd Ro"]["left"], authors["Cyd Ro"]["quiet"], authors["Ada Ng"]["left"]) == ("yes", "yes", "no")
    teams = rows(capsys, "people", repository, "--by", "team", "--table", table)
    assert [(row["team"], row["commits"], row["authors"], row["left"]) for row in teams] == [
        ("Yard", "3", "2", "1"),
        ("(no team)", "2", "1", "0"),
    ]
    table.write_text("x\n" * 3 + "a,b,c,d\n")
    assert main(["people", str(repository), "--table", str(table)]) == FAILED
    assert "people.csv, line 4" in capsys.readouterr().err


@pytest.mark.parametrize("by", ["module", "author", "team"])
@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_names_are_hidden_in_every_table(repository: Path, by: str, form: str, capsys: Capture) -> None:
    """NEW-17: names can be hidden everywhere; by the switch, and by the configuration entry."""
    names = ("ada", "bob", "cyd", "ng", "x.org", "y.org")
    assert main(["people", str(repository), "--by", by, "--format", form, "--hide-names"]) == DONE
    said = capsys.readouterr().out
    assert not [name for name in names if name in said.casefold()]
    assert ("Person 1" in said) == (by != "team")
    settings = repository / "cbvtool.toml"
    settings.write_text("[people]\nhide_names = true\n")
    try:
        assert main(["people", str(repository), "--by", by, "--format", form]) == DONE
        assert capsys.readouterr().out == said
    finally:
        settings.unlink()


def test_names_are_hidden_in_what_became_worse(tmp_path: Path, capsys: Capture) -> None:
    """NEW-17: the line on the commit that made a cycle names nobody either."""
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "Ada Ng"), ("EMAIL", "ada@x.org"))
    }
    for number, text in enumerate(("x = 1\n", "import b.two\n")):
        for name, content in (("a/one.py", text), ("b/two.py", "import a.one\n")):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content)
        for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", f"step {number}")):
            subprocess.run(["git", *command], cwd=tmp_path, env=CLEAN | who, check=True)
    for hidden in (False, True):
        if hidden:
            (tmp_path / "cbvtool.toml").write_text("[people]\nhide_names = true\n")
        assert main(["evolution", str(tmp_path)]) == DONE
        said = capsys.readouterr().out
        assert "Cycle between a and b" in said
        assert ("Ada" in said) != hidden


def test_a_saved_graph_has_its_history(repository: Path, tmp_path: Path, capsys: Capture) -> None:
    """A graph file that holds a history is as good as the folder."""
    project = open_project(repository, cache=False)
    file = tmp_path / "graph.json"
    write_graph(project.graph, file, history=project.history)
    expected = rows(capsys, "coupling", repository)
    assert rows(capsys, "coupling", file) == expected


def test_without_a_history_there_is_a_reason(tmp_path: Path, capsys: Capture) -> None:
    """No repository, no commit, no such folder: one sentence each."""
    for folder, said in ((tmp_path, "not in a git repository"), (tmp_path / "none", "does not exist")):
        for command in ("coupling", "people"):
            assert main([command, str(folder)]) == FAILED
            assert said in capsys.readouterr().err
    subprocess.run(["git", "init", "-q", str(tmp_path)], env=CLEAN, check=True)
    assert main(["coupling", str(tmp_path)]) == FAILED
    assert "commit" in capsys.readouterr().err


def test_the_limit_of_files_is_the_one_of_the_judgement() -> None:
    """--help loads no arrays, so it has the number twice."""
    assert reading.MOST_FILES == change_sets.MOST_FILES
