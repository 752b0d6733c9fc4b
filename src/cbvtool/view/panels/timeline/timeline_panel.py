"""The timeline under the picture: activity over time, and the range of it that the picture follows (CBV-9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QColor
from qtpy.QtWidgets import QDockWidget, QMenu, QStackedLayout, QVBoxLayout, QWidget

from cbvtool.errors import InputError
from cbvtool.geometry.colors import THEMES
from cbvtool.history.activity import (
    Activity,
    Groups,
    activity,
    bins,
    churn_weights,
    commit_weights,
    extent,
    groups,
    usual_extent,
)
from cbvtool.history.time_range import Mark, count, day, next_release, opened, release_span, snapped
from cbvtool.metrics.history.baseline import Span, closed
from cbvtool.metrics.history.in_range import recent
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes
from cbvtool.plots.filling import warm_up
from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plots.sentence import sentence_plot
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.timeline.controls import TimelineControls
from cbvtool.view.panels.timeline.drawing import (
    ACTIVITY,
    FINEST,
    MARGIN,
    PINS,
    RELEASES,
    TIME,
    Fixed,
    TimelineContent,
    bin_words,
    fixed,
    is_early,
    pixel_of,
    plot_width,
    timeline_plot,
)
from cbvtool.view.panels.timeline.gestures import Grip, dragged, grip_at, resized, stepped
from cbvtool.view.panels.timeline.line_counting import LineCounting
from cbvtool.view.panels.timeline.playing import Playing
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.toolkit.icons import icon
from cbvtool.view.toolkit.plain import Label, add_action

SNAP = 8.0  # px from a release in which a drag stops there
PREPARING = "Preparing the timeline"
CANCELLED = "The timeline was cancelled. Choose what it stacks to begin anew."
KEYS = (
    "Commits over time. Shift with Left and Right moves the range, with Up and Down makes it longer and shorter. "
    "Page Up and Page Down go from release to release, Home takes all. Space plays. Arrows and the wheel move and zoom "
    "what is seen."
)
_CURSORS = {
    Grip.START: Qt.CursorShape.SizeHorCursor,
    Grip.END: Qt.CursorShape.SizeHorCursor,
    Grip.RANGE: Qt.CursorShape.OpenHandCursor,
    Grip.GROUND: Qt.CursorShape.CrossCursor,
}


@dataclass(frozen=True, eq=False)
class PreparedTimeline:
    """What is found out of a history once: groups of its touches, and what each touch counts.

    asked   what it was found for: changes, what the groups are of, what is counted, and the lines for that
    weight  float64[r]
    """

    changes: Changes
    asked: tuple[object, ...]
    groups: Groups
    weight: npt.NDArray[np.float64]
    unit: str


class TimelinePanel(Panel):
    """Shows the history and sets its range. The session keeps the range, the panel what is seen of the history."""

    NAME = "timeline"
    TITLE = "Timeline"
    AREA = Area.BOTTOM
    ALONE = True

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._ranges = self.session.time_ranges
        self._prepared: PreparedTimeline | None = None
        self._shown: Span | None = None  # seconds that are seen; None = the usual ones
        self._seen: tuple[tuple[object, ...], Activity, Fixed] | None = None  # what they follow from, and they
        self._held: tuple[Grip, Span] | None = None  # what a drag took, and the range then
        self._sentence = PREPARING
        keys = desk.settings.shortcuts.get("play_history", ["K"])
        self.controls = TimelineControls(self, keys[0] if keys else "")
        self.controls.show_values(desk.settings.timeline)
        self.playing = Playing(self._show_played, self._end_play, self)
        self.canvas = PlotCanvas("timeline", self._draw, self._tell, self, not desk.settings.reduced_motion)
        self.canvas.setAccessibleName("Timeline")
        self.canvas.setAccessibleDescription(KEYS)
        self.canvas.setMinimumHeight(70)
        self.empty = Label("", self)
        self.empty.setObjectName("muted")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.Alignment(Qt.AlignmentFlag.AlignCenter))
        self.empty.setContentsMargins(24, 8, 24, 8)
        full = QWidget(self)
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.controls)
        column.addWidget(self.canvas, 1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(full)
        self._pages.addWidget(self.empty)
        self._lead()
        self.restyle()

    def _lead(self) -> None:
        controls = self.controls
        controls.choice.follow(self.session)
        controls.played.connect(self.play)
        controls.typed.connect(self._type)
        controls.set.connect(self._set)
        controls.pin_asked.connect(self.pin)
        self.canvas.happened.connect(self._happened)
        self._apply()

    # -- following the session ----------------------------------------------------------------------------

    def follow(self, changes: frozenset[Change]) -> None:
        """Show the history of the session, and its range."""
        known = self._ranges.changes
        self.empty.setText(self._ranges.why_none if known is None else "")
        self._pages.setCurrentIndex(0 if known is not None else 1)
        if known is None:
            self.playing.stop()
            return
        if changes & {Change.PROJECT, Change.DEPTH}:
            self._shown = self._shown if self._prepared is not None and known.alike(self._prepared.changes) else None
            self._prepare()
        if self.playing.runs and not self._ranges.is_sliding:
            self.playing.stop()  # another range was chosen meanwhile
        self._show_words()
        self.canvas.restyle(THEMES[self.session.view.theme])

    def _prepare(self) -> None:
        """Find out on a worker what groups there are; the first time, loops are compiled."""
        changes, churn = self._ranges.changes, self._ranges.churn
        self.controls.show_churn(churn is not None)
        by, measure = self.controls.values["stack"], self.controls.values["measure"]
        lines = churn if measure == "churn" else None
        asked = (None if changes is None else (changes.sha, changes.authors), by, lines is None)
        if changes is None or (self._prepared is not None and self._prepared.asked == asked):
            return

        def work(progress: Progress) -> PreparedTimeline:
            progress(PREPARING, 0, 0)
            warm_up()
            progress(PREPARING, 0, 0)
            weight = commit_weights(changes) if lines is None else churn_weights(lines)
            unit = "commits" if lines is None else "lines"
            return PreparedTimeline(changes, asked, groups(changes, by), weight, unit)

        self._sentence = PREPARING
        self.desk.jobs.run(self, PREPARING, work, self._take, self._fail, purpose="prepare", cancelled=self._fail)

    def _take(self, prepared: PreparedTimeline) -> None:
        self._prepared = prepared
        self._show_words()
        self.canvas.refresh()
        self.desk.part(LineCounting).count(frozenset({"timeline"}))

    def _fail(self, why: str = CANCELLED) -> None:
        self._prepared = None
        self._sentence = why
        self.canvas.refresh()

    @property
    def words(self) -> str:
        """What lies in the range, for people."""
        changes = self._ranges.changes
        if changes is None:
            return ""
        number = count(self.span, changes)
        if not number:
            return "No commit lies in this range"
        usual = " (usual range)" if self._ranges.now == (None, None) else ""
        return f"{number:,} commit{'s' * (number != 1)}{usual}"

    def _show_words(self) -> None:
        if self._ranges.changes is not None:
            first, last = map(day, self.span)
            self.controls.show_range(first, last)
            self.canvas.setAccessibleDescription(f"{first} to {last}: {self.words}. {KEYS}")

    def restyle(self) -> None:
        """Take the colours of the theme."""
        ink, faint = self.palette().text().color(), QColor(128, 128, 128)
        self.controls.play.setIcon(icon("pause" if self.playing.runs else "play", ink, faint))
        self.canvas.restyle(THEMES[self.session.view.theme])

    def close_down(self) -> None:
        """The window closes."""
        self.playing.stop()
        self.controls.choice.close_down()

    def toggle(self) -> None:
        """Show it, or close it."""
        dock = self.parentWidget()
        if self.is_seen and isinstance(dock, QDockWidget):
            dock.hide()
        else:
            self.desk.show(TimelinePanel)
            self.canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # -- the range ----------------------------------------------------------------------------------------

    @property
    def span(self) -> Span:
        """The range with ends. The usual one is that of change frequency. LookupError without commits."""
        changes = self._ranges.changes
        if changes is None:
            raise LookupError("the history has no commits")
        range_ = self._ranges.now
        if range_ == (None, None):
            usual = recent(Subject(self.session.graph, changes))
            range_ = (usual.since, usual.until)
        return closed(range_, changes)

    @property
    def limit(self) -> Span:
        """The whole history, first and last second. LookupError without commits."""
        changes = self._ranges.changes
        whole = None if changes is None else extent(changes)
        if whole is None:
            raise LookupError("the history has no commits")
        return whole

    @property
    def shown(self) -> Span:
        """The part of the history that is seen."""
        changes = self._ranges.changes
        if self._shown is None and changes is not None:
            self._shown = usual_extent(changes)
        return self._shown or (0, 1)

    def choose(self, span: Span | None) -> None:
        """Let the picture show a range; None = none was found."""
        changes = self._ranges.changes
        if span is not None and changes is not None:
            self.playing.stop()
            self._ranges.choose(opened(span, changes))

    def _slide(self, span: Span) -> None:
        changes = self._ranges.changes
        if changes is not None:
            self._ranges.slide(opened(span, changes))

    def _type(self, first: str, last: str) -> None:
        """Two texts of the range were edited; what did not change stays as exact as it is."""
        changes = self._ranges.changes
        if changes is None:
            return
        before = self.span
        try:
            since = before[0] if first == day(before[0]) else self._ranges.moment(first, end=False)
            until = before[1] if last == day(before[1]) else self._ranges.moment(last, end=True)
        except InputError as error:
            self.controls.restore()
            self.desk.say(str(error))
            return
        if since is not None and until is not None and since > until:
            self.controls.restore()
            self.desk.say(f"The range would end, on {day(until)}, before it begins, on {day(since)}.")
            return
        since = int(changes.time[0]) if since is None else since
        self.choose((since, int(changes.time[-1]) if until is None else until))
        self.controls.restore()

    def step_release(self, direction: int) -> None:
        """Go to the time of the work on the next release (1), or the one before (-1)."""
        changes = self._ranges.changes
        if changes is not None:
            self.choose(next_release(self.span, self._main_releases(), direction, changes))

    def _main_releases(self) -> tuple[Mark, ...]:
        """The tags without release candidates and the like; all of them where there is nothing else."""
        marks = self._ranges.releases
        return tuple(mark for mark in marks if not is_early(mark.name)) or marks

    # -- pinned ranges ------------------------------------------------------------------------------------

    def pin(self) -> None:
        """Keep the range; keep it no longer if it is kept."""
        if self._ranges.changes is None:
            return
        if self.span in self._ranges.pinned:
            self._ranges.unpin(self.span)
            self.desk.note("The range is not pinned any more")
        else:
            self._ranges.pin(self.span)
            self.desk.note("Pinned: 'Changed more than before' compares with it")

    # -- playing ------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play the history from the range on; pause if it plays."""
        if self._ranges.changes is None:
            return
        if self.playing.runs:
            self.playing.stop()
            return
        self._set_speed()
        self.playing.start(self.span, self.limit, calm=self.desk.settings.reduced_motion)
        self._show_button()

    def _set_speed(self) -> None:
        values = self.controls.values
        self.playing.speed, self.playing.growing = float(values["speed"]), values["mode"] == "growing"

    def _show_played(self, span: Span) -> None:
        self._slide(span)

    def _end_play(self) -> None:
        self._ranges.settle()
        self._show_button()

    def _show_button(self) -> None:
        self.controls.show_playing(self.playing.runs)
        self.restyle()
        self.desk.refresh()

    # -- how it is set ------------------------------------------------------------------------------------

    def _set(self) -> None:
        self.desk.settings.timeline = self.controls.values
        self._apply()
        self._prepare()
        self.canvas.refresh()

    def _apply(self) -> None:
        self._set_speed()
        self.controls.show_churn(self._ranges.churn is not None)
        self.controls.show_playing(self.playing.runs)

    # -- the plot -----------------------------------------------------------------------------------------

    def _draw(self, viewport: Viewport) -> Plot:
        theme, prepared = THEMES[self.session.view.theme], self._prepared
        if prepared is None or not prepared.changes.alike(self._ranges.changes):
            return sentence_plot(self._sentence, viewport, theme.muted)
        ranges, most = self._ranges, max(int(plot_width(viewport) / FINEST), 1)
        size = (viewport.width, viewport.height, viewport.scale)
        inputs = (prepared, self.shown, size, theme, ranges.releases, ranges.plan_mark, ranges.pinned)
        if self._seen is None or any(a is not b and a != b for a, b in zip(self._seen[0], inputs, strict=True)):
            found = activity(prepared.changes, prepared.groups, prepared.weight, bins(*self.shown, most))
            content = TimelineContent(
                found, prepared.unit, self.shown, self.limit, ranges.releases, ranges.plan_mark, ranges.pinned
            )
            self._seen = (inputs, found, fixed(content, theme, viewport))
        return timeline_plot(self._seen[2], self.span, self.words, theme, viewport)

    def _tell(self, hit: Hit) -> tuple[str, ...]:
        """The lines of the tooltip."""
        if hit.layer == ACTIVITY and self._seen is not None:
            found, unit = self._seen[1], "" if self._prepared is None else self._prepared.unit
            group, bin_ = divmod(hit.item, len(found.bins))
            own, whole = found.amount[group, bin_], found.total[bin_]
            return (
                bin_words(found, bin_),
                f"{found.groups[group]}: {own:,.4g} of {whole:,.4g} {unit}",
                "Double click: this is the range",
            )
        if hit.layer == RELEASES and (mark := self._mark(hit.item)) is not None:
            return (mark.name, day(mark.time), "Click: the time since the release before")
        if hit.layer == PINS and hit.item < len(self._ranges.pinned):
            span = self._ranges.pinned[hit.item]
            return (f"{day(span[0])} to {day(span[1])}", "Click: show it. Right click: keep it no longer")
        return ()

    def _mark(self, row: int) -> Mark | None:
        marks = self._ranges.releases
        return marks[row] if row < len(marks) else self._ranges.plan_mark

    # -- mouse and keys -----------------------------------------------------------------------------------

    def _happened(self, event: ViewEvent) -> None:
        if self._ranges.changes is None:
            return
        kind = event.kind
        if kind is EventKind.RANGE and event.range is not None:
            first, last = event.range.x
            self._shown = round(first), max(round(last), round(first) + 1)
            self.canvas.refresh()
        elif kind is EventKind.PRESS and event.pane == TIME:
            self.playing.stop()
            self._held = (self._grip(event), self.span)
            self._point(self._held[0])
        elif kind is EventKind.DRAG and self._held is not None and event.start is not None:
            self._drag(event, event.start)
        elif kind is EventKind.DROP and self._held is not None:
            self._held = None
            self._ranges.settle()
        elif kind is EventKind.KEY:
            self._key(event)
        elif kind is EventKind.HOVER:
            self._point(self._grip(event) if event.pane == TIME else Grip.RANGE)
        elif kind is EventKind.CLICK:
            self._click(event)
        elif kind is EventKind.DOUBLE and event.hit.layer == ACTIVITY and self._seen is not None:
            edges = self._seen[1].bins.edges
            bin_ = event.hit.item % (len(edges) - 1)
            self.choose((int(edges[bin_]), int(edges[bin_ + 1]) - 1))
        elif kind is EventKind.MENU:
            self._menu(event)

    def _grip(self, event: ViewEvent) -> Grip:
        pane = self.canvas.plot.panes[0] if self.canvas.plot.panes else None
        if pane is None:
            return Grip.GROUND
        wide = plot_width(self.canvas.sight)
        left, right = (pixel_of(end, pane.x, wide) for end in self.span)
        grip = grip_at(event.px, left, right)
        covers = left <= MARGIN and right >= MARGIN + wide - 1
        return Grip.GROUND if covers and grip is Grip.RANGE else grip  # else no other range could be drawn

    def _point(self, grip: Grip) -> None:
        self.canvas.ground.setCursor(_CURSORS[grip])

    def _drag(self, event: ViewEvent, start: ViewEvent) -> None:
        assert self._held is not None
        grip, before = self._held
        first, last = self.shown
        near = SNAP * (last - first) / max(plot_width(self.canvas.sight), 1)
        # Outside of the pane an event has the place on the canvas; a drag goes on there.
        now = first + (event.px - MARGIN) / max(plot_width(self.canvas.sight), 1) * (last - first)
        snaps = self.controls.snap.isChecked() != ("ctrl" in event.modifiers)
        marks = self._main_releases() if snaps else ()
        self._slide(dragged(grip, before, start.x, now, self.limit, lambda time: snapped(time, marks, near)))

    def _key(self, event: ViewEvent) -> None:
        if event.key == "Escape":
            if event.start is not None and self._held is not None:
                self._held = None
                self._ranges.put_back()
            return
        span, limit = self.span, self.limit
        if "shift" in event.modifiers and event.key in ("Left", "Right"):
            self.choose(stepped(span, 1 if event.key == "Right" else -1, limit))
        elif "shift" in event.modifiers and event.key in ("Up", "Down"):
            self.choose(resized(span, 1 if event.key == "Up" else -1, limit))
        elif event.key in ("PageUp", "PageDown"):
            self.step_release(-1 if event.key == "PageUp" else 1)
        elif event.key == "Home":
            self.choose(limit)
        elif event.key == "Space":
            self.play()

    def _click(self, event: ViewEvent) -> None:
        changes = self._ranges.changes
        if event.hit.layer == PINS and event.hit.item < len(self._ranges.pinned):
            self.choose(self._ranges.pinned[event.hit.item])
        elif event.hit.layer == RELEASES and changes is not None and event.hit.item < len(self._ranges.releases):
            mark = self._ranges.releases[event.hit.item]
            marks = self._ranges.releases if is_early(mark.name) else self._main_releases()
            self.choose(release_span(marks, marks.index(mark), changes))

    def _menu(self, event: ViewEvent) -> None:
        if event.hit.layer == PINS and event.hit.item < len(self._ranges.pinned):
            self._ranges.unpin(self._ranges.pinned[event.hit.item])
            return
        menu = QMenu(self)
        pinned = self.span in self._ranges.pinned
        rows: tuple[tuple[str, Callable[[], object]], ...] = (
            ("Do not pin this range any more" if pinned else "Pin this range", self.pin),
            ("See the range alone", lambda: self._see(self.span)),
            ("See the whole history", lambda: self._see(self.limit)),
        )
        for text, run in rows:
            add_action(menu, text).triggered.connect(lambda _on=False, run=run: run())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.canvas.ground.mapToGlobal(QPoint(round(event.px), round(event.py))))

    def _see(self, span: Span) -> None:
        self._shown = span[0], max(span[1], span[0] + 1)
        self.canvas.refresh()
