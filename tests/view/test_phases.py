"""The phases of the picture: every state and event, what always holds, and that the diagram is the one that runs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cbvtool.view.canvas.phases import NAMES, PHASES, Event, NameLayout, Phase, PictureState, Work, advance

PAGE = Path(__file__).parents[2] / "docs" / "decisions" / "picture-phases.md"
STATES = [PictureState(phase, names) for phase in Phase for names in NameLayout]
CHANGES = {Event.CLEAR, Event.CHANGE, Event.LARGE_CHANGE}
RESTING = (Phase.EMPTY, Phase.STILL, Phase.FAILED)
OUTSIDE = [*CHANGES, Event.TURN, Event.ALTER, Event.PAINT]  # the others are a timer, and answers to work
TIMERS = {Work.BEGIN, Work.STEP, Work.WAIT}
ANSWERED = (Work.SHAPE, Work.LAY_OUT, Work.LOOK_THROUGH, Work.CATCH_UP, Work.PIECE)


class Player:
    """A stage without Qt: it has so many steps of each work to do after a change, and notes what was ordered."""

    def __init__(self, steps: dict[Work, int], state: PictureState | None = None) -> None:
        self.state, self._steps = state or PictureState(), steps
        self._left = dict(steps)
        self.waits = False  # a timer runs
        self.done: list[Work] = []  # since the last change

    def tell(self, event: Event) -> None:
        if event in CHANGES:
            self._left = dict(self._steps)
            self.done.clear()
        if event is Event.IDLE:
            self.waits = False
        self.state, work = advance(self.state, event)
        for each in work:
            self.done.append(each)
            self.waits |= each in TIMERS
            if each in ANSWERED:
                assert each is work[-1]  # the answer may order more
                self._answer(each)

    def _answer(self, work: Work) -> None:
        if work is Work.LAY_OUT and self.state.names is not NameLayout.SETTLED:
            self.tell(Event.SETTLE)
            self.tell(Event.MORE)
            return
        more = self._left[work] > 0
        self._left[work] -= more
        self.tell(Event.MORE if more else Event.DONE)

    def rest(self) -> int:
        """Let the timer fire until none runs; how often."""
        count = 0
        while self.waits:
            self.tell(Event.IDLE)
            count += 1
            assert count < 1_000, self.state
        return count


steps = st.fixed_dictionaries({work: st.integers(0, 5) for work in ANSWERED})
events = st.lists(st.sampled_from([*OUTSIDE, Event.IDLE, Event.IDLE, Event.IDLE]), max_size=60)


def played(steps: dict[Work, int], events: list[Event]) -> Player:
    player = Player(steps)
    for event in events:
        if event is not Event.IDLE or player.waits:  # only a timer that runs can fire
            player.tell(event)
    return player


def test_every_state_and_event() -> None:
    """What the tables do not list changes nothing and orders nothing; phase and names do not ask for each other."""
    for state, event in product(STATES, Event):
        after, work = advance(state, event)
        assert (after.phase, work) == PHASES.get((state.phase, event), (state.phase, ()))
        assert after.names == NAMES.get((state.names, event), state.names)
        if event in CHANGES:
            assert after.phase in (Phase.EMPTY, Phase.MOVING, Phase.SHAPING)
        if event in (Event.TURN, Event.ALTER, Event.SETTLE):
            assert (after.phase, work) == (state.phase, ())
        assert event is not Event.TURN or after.names is NameLayout.UPRIGHT
        assert event is not Event.ALTER or after.names is not NameLayout.SETTLED
        assert event is not Event.SETTLE or after.names is NameLayout.SETTLED


@given(steps=steps)
def test_from_every_state_idle_events_lead_to_still(steps: dict[Work, int]) -> None:
    """After so many of them as there are phases and steps of work to do."""
    for state in STATES:
        player = Player(steps, state)
        player.waits = True
        count = player.rest()
        if state.phase in RESTING:
            assert (player.state, player.done) == (state, [])
        else:
            assert player.state.phase is Phase.STILL
            assert count <= len(Phase) + sum(steps.values()) + 1


@given(steps=steps, events=events)
def test_it_never_gets_stuck(steps: dict[Work, int], events: list[Event]) -> None:
    """Whatever happens, and whenever: a timer runs until the picture is still, with its names as they should be."""
    player = Player(steps)
    for event in events:
        if event is not Event.IDLE or player.waits:
            player.tell(event)
        assert player.waits or player.state.phase in RESTING
    player.rest()
    assert player.state.phase in (Phase.EMPTY, Phase.STILL)
    if player.state.phase is Phase.STILL and events[-1] not in (Event.TURN, Event.ALTER):
        player.tell(Event.CHANGE)  # as stages do after both
        player.rest()
        assert player.state == PictureState(Phase.STILL, NameLayout.SETTLED)


def test_nothing_but_a_change_leaves_the_still_picture() -> None:
    """It costs nothing: no painting, time or answer makes work."""
    for names, event in product(NameLayout, set(Event) - CHANGES - {Event.FAIL}):
        after, work = advance(PictureState(Phase.STILL, names), event)
        assert (after.phase, work) == (Phase.STILL, ())
    assert all(advance(PictureState(Phase.STILL), event)[0].phase is not Phase.STILL for event in CHANGES)


@given(steps=steps, events=events, change=st.sampled_from([Event.CHANGE, Event.LARGE_CHANGE]), paints=st.data())
def test_after_a_movement_each_frame_comes_once(
    steps: dict[Work, int], events: list[Event], change: Event, paints: st.DataObject
) -> None:
    """One quick frame, names painted carefully once, every piece of one smooth frame, in this order."""
    player = played(steps, [*events, Event.LARGE_CHANGE])
    player.tell(Event.TURN)
    player.tell(change)
    while player.waits:
        for _ in range(paints.draw(st.integers(0, 2))):
            player.tell(Event.PAINT)
        player.tell(Event.IDLE)
    player.tell(Event.PAINT)
    assert player.state == PictureState(Phase.STILL, NameLayout.SETTLED)
    count = Counter(player.done)
    assert count[Work.QUICK_FRAME] == count[Work.WRITE] == 1
    assert count[Work.PIECE] == steps[Work.PIECE] + 1
    order = [work for work in player.done if work in (Work.QUICK_FRAME, Work.LAY_OUT, Work.WRITE, Work.PIECE)]
    lay_out = [Work.LAY_OUT] * count[Work.LAY_OUT]
    assert order == [Work.QUICK_FRAME, *lay_out, Work.WRITE, *[Work.PIECE] * count[Work.PIECE]]
    assert player.done[-1] is Work.ASK


@given(steps=steps, events=events)
def test_a_large_scene_is_prepared_before_its_frame(steps: dict[Work, int], events: list[Event]) -> None:
    """No painting makes a frame meanwhile: it would take all steps together."""
    player = played(steps, [*events, Event.LARGE_CHANGE])
    while player.state.phase in (Phase.SHAPING, Phase.PREPARED):
        player.tell(Event.PAINT)
        assert Work.QUICK_FRAME not in player.done
        player.tell(Event.IDLE)
    assert player.done[: steps[Work.SHAPE] * 2 + 3].count(Work.SHAPE) == steps[Work.SHAPE] + 1
    assert player.done[-4:] == [Work.PORTION, Work.STEP, Work.ASK, Work.WAIT]


def test_after_an_exception_the_last_good_picture_stays_until_something_changes() -> None:
    for phase, names in product(set(Phase) - {Phase.EMPTY}, NameLayout):
        failed, work = advance(PictureState(phase, names), Event.FAIL)
        assert (failed.phase, failed.phase.is_current, work) == (Phase.FAILED, False, (Work.ASK,))
    for event in set(Event) - CHANGES - {Event.FAIL}:
        assert advance(PictureState(Phase.FAILED), event)[1] == ()
    assert advance(PictureState(Phase.FAILED), Event.CHANGE)[0].phase is Phase.MOVING


def test_every_state_can_be_reached() -> None:
    """No phase is there in vain."""
    found, new = {PictureState()}, [PictureState()]
    while new:
        state = new.pop()
        for after in {advance(state, event)[0] for event in Event} - found:
            found.add(after)
            new.append(after)
    assert found == set(STATES)


# -- the page --------------------------------------------------------------------------------------------------

Arrow = tuple[str, str, str, tuple[str, ...]]  # from, to, event, work


def drawn(page: str) -> list[list[Arrow]]:
    """The arrows of each diagram; one that leaves a group leaves every phase in it."""
    found = []
    for diagram in re.findall(r"```mermaid\nstateDiagram-v2\n(.*?)```", page, re.DOTALL):
        groups = {
            name: dict.fromkeys(re.findall(r"(\w+) -->", inside))
            for name, inside in re.findall(r"state (\w+) \{\n(.*?)\n    \}", diagram, re.DOTALL)
        }
        arrows = []
        for start, end, event, work in re.findall(r"(\w+) --> (\w+) : ([\w ]+?)(?: / ([\w ,]+))?\n", diagram):
            ordered = tuple(work.split(", ")) if work else ()
            arrows += [(each, end, event, ordered) for each in groups.get(start, [start])]
        found.append(sorted(arrows))
    return found


def test_the_page_draws_these_tables() -> None:
    """A row that is changed, new or gone has to be so in docs/decisions/picture-phases.md, too."""
    phases, names = drawn(PAGE.read_text())
    assert phases == sorted(
        (phase.value, after.value, event.value, tuple(each.value for each in work))
        for (phase, event), (after, work) in PHASES.items()
    )
    assert names == sorted((before.value, after.value, event.value, ()) for (before, event), after in NAMES.items())


def test_the_page_says_what_each_word_means() -> None:
    """Every phase, event and work has its row."""
    words = set(re.findall(r"^\| `([\w ]+)` \|", PAGE.read_text(), re.MULTILINE))
    assert words == {member.value for kind in (Phase, NameLayout, Event, Work) for member in kind}


def test_a_changed_diagram_is_noticed() -> None:
    """The comparison reads arrows, groups, events and work."""
    page = PAGE.read_text()
    before = drawn(page)
    for old, new in (("pieces --> still", "pieces --> moving"), (" : done / ask\n", " : done\n"), ("clear", "paint")):
        assert old in page
        assert drawn(page.replace(old, new)) != before


def test_the_machine_knows_no_qt() -> None:
    """It can be read, tested and changed without a screen."""
    code = "import sys, cbvtool.view.canvas.phases; sys.exit(any(name in sys.modules for name in ('qtpy', 'PyQt5')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
