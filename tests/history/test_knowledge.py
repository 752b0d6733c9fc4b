"""NEW-17: owners, bus factor, islands and whom to ask, against counting one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph.tree import index_tree
from cbvtool.history.change_sets import CouplingChoice, change_sets
from cbvtool.history.hidden_names import without_names
from cbvtool.history.knowledge import DAY, HALF_LIFE, knowledge, quiet_authors, touches_above, touches_of, whom_to_ask
from cbvtool.history.people_table import MODULE_COLUMNS, PeopleInRange, table_of_modules
from cbvtool.history.roster import Member, PeopleSettings, roster
from tests.history.histories import history

PATHS = [f"{i}.py" for i in range(4)]
PEOPLE = ("ada@x", "bob@x", "cyd@x")
GONE = PeopleSettings(members=(Member("ada@new", "Engines"), Member("bob@x", left=True)))
COMMITS = st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 3), max_size=4)), max_size=12)


@given(COMMITS, st.lists(st.booleans(), min_size=3, max_size=3))
def test_shares_main_authors_and_islands_are_those_counted_one_by_one(
    commits: list[tuple[int, list[int]]], quiet: list[bool]
) -> None:
    """The fewest authors with more than half of the commits are the main authors; an island has none who is awake."""
    changes = history([p for _, p in commits], PATHS, authors=[a for a, _ in commits], people=PEOPLE)
    found = knowledge(changes, *touches_of(change_sets(changes, CouplingChoice())), len(PATHS))
    mask = np.array(quiet)
    for path in range(len(PATHS)):
        rows = [(row, author) for row, (author, touched) in enumerate(commits) if path in touched]
        times = Counter(author for _, author in rows)
        ranked = sorted(times.items(), key=lambda item: (-item[1], item[0]))
        part = found.rows(path)
        assert list(zip(found.author[part].tolist(), found.commits[part].tolist(), strict=True)) == ranked
        assert found.last[part].tolist() == [max(r for r, who in rows if who == author) for author, _ in ranked]
        main, so_far = [], 0
        for author, count in ranked:
            if 2 * so_far <= len(rows):
                main.append(author)
            so_far += count
        assert found.author[part][found.is_main[part]].tolist() == main
        assert found.bus_factor[path] == len(main)
        assert found.total[path] == len(rows)
        assert found.islands(mask)[path] == (bool(rows) and all(quiet[author] for author in main))
        share = found.share_of(mask)[path]
        assert np.isnan(share) if not rows else share == sum(quiet[author] for _, author in rows) / len(rows)


@given(COMMITS, st.lists(st.integers(0, 5), min_size=5, max_size=5))
def test_a_folder_is_changed_by_each_commit_once(commits: list[tuple[int, list[int]]], above: list[int]) -> None:
    """Commits of a node are those that changed something at or below it, each once."""
    parent = np.array([-1, *(min(up, row) for row, up in enumerate(above))], np.int32)
    n = len(parent)
    tree = index_tree(parent, np.arange(n))
    touches = [(row, 1 + path) for row, (_, paths) in enumerate(commits) for path in paths]
    commit, key = np.array(touches, np.int32).reshape(-1, 2).T
    found = set(zip(*(column.tolist() for column in touches_above(tree, commit, key)), strict=True))
    expected = set()
    for row, node in touches:
        while node >= 0:
            expected.add((row, node))
            node = int(parent[node])
    assert found == expected


def test_who_made_no_commit_for_a_year_is_quiet_and_who_left_too() -> None:
    """Quiet is measured at the end of the history, or of the range, never at today's date."""
    times = [0, 400 * DAY, 500 * DAY]
    changes = history([[0]] * 3, PATHS, times=times, authors=[0, 1, 2], people=PEOPLE)
    assert quiet_authors(changes).tolist() == [True, False, False]
    assert quiet_authors(changes, np.array([False, True, False])).tolist() == [True, True, False]
    assert quiet_authors(changes, until=300 * DAY).tolist() == [False, True, True]
    assert quiet_authors(changes, days=50).tolist() == [True, True, False]
    assert quiet_authors(history([], [], people=()), None).tolist() == []


def test_those_who_are_there_and_know_what_is_new_are_asked_first() -> None:
    """One young commit counts more than one that is old; who has gone quiet comes last, however much they did."""
    times = [0, 1, 2, HALF_LIFE * 4, HALF_LIFE * 4 + 1]
    changes = history([[0]] * 5, PATHS, times=times, authors=[0, 1, 1, 2, 0], people=PEOPLE)
    asked = whom_to_ask(changes, [0, 1, 2, 3, 4, 4], np.array([False, False, False]))
    assert [contact.author for contact in asked] == [0, 2, 1]
    assert (asked[0].commits, asked[0].share, asked[0].last) == (2, 0.4, times[4])
    gone = whom_to_ask(changes, [0, 1, 2, 3, 4], np.array([True, False, False]))
    assert [contact.author for contact in gone] == [2, 1, 0]
    assert [contact.quiet for contact in gone] == [False, False, True]
    assert whom_to_ask(changes, [], np.zeros(3, np.bool_)) == []


def test_addresses_of_one_full_name_are_one_person() -> None:
    """Who changed the mail address has not gone quiet: spring-framework's Juergen Hoeller has four."""
    changes = history(
        [[0]] * 5,
        PATHS,
        times=[0, 1, 2, 1000 * DAY, 1000 * DAY],
        authors=[0, 0, 0, 1, 2],
        people=("ada@old", "ada@new", "bob@x"),
        names=("Ada Lovelace", "ada  lovelace", "Bob"),
    )
    for shown in (changes, without_names(changes)):
        people = PeopleInRange.of(shown, change_sets(shown, CouplingChoice()), roster(changes, GONE))
        [row] = table_of_modules(people, ["."], np.zeros(len(PATHS), np.int32)).rows
        said = dict(zip(MODULE_COLUMNS, row, strict=True))
        assert (said["authors"], said["bus_factor"], said["island"], said["quiet_share"]) == (2, 1, False, 0.2)
        assert said["main_author"] == said["ask"] == ("Ada Lovelace" if shown is changes else "Person 1")
        assert said["main_team"] == "Engines"


def test_a_history_without_names_has_the_same_figures_and_no_name() -> None:
    """Names are hidden everywhere: nothing in the columns is a name, also not in the subjects of commits."""
    changes = history(
        [[0], [0, 1]],
        PATHS,
        authors=[0, 1],
        people=("ada.lovelace@example.org", "12+bob@users.noreply.github.com"),
        names=("Ada Lovelace", "Bob Ng"),
        subjects=("Reviewed by ADA: T-12", "bob's tidying"),
    )
    hidden = without_names(changes)
    said = str(hidden.to_dict()).casefold() + " ".join(hidden.subjects).casefold()
    assert not [word for word in ("ada", "lovelace", "bob") if word in said]
    assert hidden.subjects == ("Reviewed by …: T-12", "…'s tidying")
    assert [hidden.name_of(0), hidden.name_of(1)] == ["Person 1", "Person 2"]
    assert hidden.author is changes.author
    assert hidden.touch_path is changes.touch_path
