"""Which metric drives which visual variable, which relations are shown, how straight; the picture follows live."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from qtpy.QtCore import Qt, QTimer, Signal
from qtpy.QtGui import QIcon
from qtpy.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from cbvtool.geometry.colors import BY_KIND, COLOR_MAPS, DEFAULT_MAP, RELATION_MAPS
from cbvtool.geometry.scales import SCALES, Scale
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.scene.shown import Counts, counts
from cbvtool.geometry.state.view_state import BLENDINGS, OF_TRACES, THICKNESSES, ViewState
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.graph.kinds import CO_CHANGE, label_of_kind
from cbvtool.metrics.aggregate import AGGREGATIONS, choices, own_way
from cbvtool.metrics.metric import Metric
from cbvtool.metrics.run_time import CALLS as RUN_TIME_CALLS
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.structure_panel import STEP, StructurePanel, is_large
from cbvtool.view.panels.style.range_edit import RangeEdit
from cbvtool.view.panels.style.relation_controls import RelationControls
from cbvtool.view.panels.style.swatch import SIZE, map_swatch, relation_swatch
from cbvtool.view.panels.timeline.range_list import RangeList
from cbvtool.view.toolkit.drop_list import DropList, Slider
from cbvtool.view.toolkit.plain import Label, add_row, caption, set_caption, set_row_tooltip, set_tooltip

UNKNOWN = -1  # relations of a kind that are counted once they are shown
GUESSES = "Relations found by name alone, which may be wrong"
PACKAGES = "Packages that the project uses but does not contain, as one segment"
VARIABLES = (("angle", "Width"), ("height", "Height"), ("color", "Colour"))
DEPENDENT = ("Combined", "Scale", "Colours")  # rows that belong to the one above
MAP_NAMES = {"ember": "Ember", "cividis": "Cividis", "thesis": "Thesis"}
RELATION_NAMES = {"teal-orange": "Teal to orange", "thesis": "Green to red", BY_KIND: "By kind"}


class StylePanel(Panel):
    """Emits the names and values of view state fields."""

    NAME, TITLE = "style", "Style"
    AREA = Area.RIGHT
    SHOWN = True
    ALWAYS = True

    mapping_chosen = Signal(str, object)  # field of the mapping, its value
    reset_asked = Signal()
    refused = Signal(str)
    beta_chosen = Signal(float)
    guesses_chosen = Signal(bool)
    external_chosen = Signal(bool)
    kind_chosen = Signal(str, bool)  # kind of relations, whether they are shown

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        metrics = self.session.metrics
        self.counts = Counts(0, 0, {})
        self._seen = ViewState()
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._area)
        inner = QWidget(self)
        # Never wider than the panel: else it would be scrolled sideways to what has the focus, and labels out of sight.
        inner.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._area.setWidget(inner)
        self._form = form = QFormLayout(inner)
        form.setContentsMargins(12, 12, 8, 12)
        form.setVerticalSpacing(8)
        form.setHorizontalSpacing(6)
        self._metrics = metrics
        self._offered: list[str] = []  # their names
        self._scene: Scene | None = None
        self._mapping = MetricMapping()  # what is shown, or will be
        self._theme = "light"
        self._choices: dict[str, QComboBox] = {}
        self.aggregations: dict[str, QComboBox] = {}
        self.scales: dict[str, QComboBox] = {}
        self.ranges: dict[str, RangeEdit] = {}
        for variable, label in VARIABLES:
            what = label.lower()
            self._choices[variable] = self._list(label, variable, (), f"Metric that decides the {what}")
            self.aggregations[variable] = self._list(
                "Combined", f"{variable}_by", (), f"How the values of what lies inside become one {what}"
            )
            if variable == "angle":
                continue
            scale = self.scales[variable] = self._list("Scale", "", (), f"How values become {what}s")
            for kind, name in SCALES.items():
                scale.addItem(name, kind)
            scale.activated.connect(lambda _row, variable=variable: self._choose_scale(variable))
            edit = self.ranges[variable] = RangeEdit(what, self)
            edit.chosen.connect(lambda low, high, variable=variable: self._choose_range(variable, low, high))
            edit.refused.connect(self.refused)
            form.addRow(_muted("Range", self), edit)
        maps = ((name, MAP_NAMES[name], map_swatch(name)) for name in (DEFAULT_MAP, *COLOR_MAPS) if name in MAP_NAMES)
        self.color_map = self._list("Colours", "color_map", dict.fromkeys(maps), "Colour map, from little to much")
        self.thickness = self._list(
            "Thickness", "thickness", (), "What makes a relation thicker, on a logarithmic scale"
        )
        self.relation_colors = self._list(
            "Lines",
            "relations",
            ((name, RELATION_NAMES[name], None) for name in RELATION_MAPS),
            "Colours of relations, from the user to the used, or by what they are (imports, calls, ...); they also "
            "become narrower on the way",
        )
        self.blending = self._list(
            "Crossings",
            "blending",
            ((name, text, None) for name, text in BLENDINGS.items()),
            "What is seen where relations cross: the darkest colour (in the dark theme the lightest) shows that some "
            "run the other way",
        )
        self.straightness = Slider(Qt.Orientation.Horizontal, self)
        self.straightness.setRange(0, 100)
        set_tooltip(self.straightness, "Left: every relation by itself. Right: bundled along the tree.")
        self.straightness.setAccessibleName("Bundling")
        self.straightness.valueChanged.connect(self._bundle)
        form.addRow("Bundling", self.straightness)
        self.time_range = RangeList(self)
        form.addRow("History", self.time_range)
        self.reset = QPushButton("Reset style", self)
        self.reset.setObjectName("small")
        set_tooltip(self.reset, "Metrics, scales, ranges and colours as they are when the subject is opened")
        self.reset.clicked.connect(lambda _on: self.reset_asked.emit())
        form.addRow("", self.reset)
        self.guesses = _switch("Guessed relations", GUESSES, self)
        self.guesses.clicked.connect(self.guesses_chosen)
        self.external = _switch("External packages", PACKAGES, self)
        self.external.clicked.connect(self.external_chosen)
        self.kinds: dict[str, QCheckBox] = {}
        self._kinds = QVBoxLayout()
        self._kinds.setSpacing(4)
        switches = QVBoxLayout()
        switches.setSpacing(4)
        switches.addLayout(self._kinds)
        switches.addSpacing(6)
        switches.addWidget(self.guesses)
        switches.addWidget(self.external)
        self.relation_controls = RelationControls(self)
        form.addRow(Label("Relations", self))
        form.addRow(switches)  # across the panel, which may be narrow
        form.addRow(self.relation_controls)
        self.hide_small = QPushButton("Hide small nodes...", self)
        self.hide_small.setObjectName("small")
        set_tooltip(self.hide_small, "Hide nodes below a threshold of a metric")
        form.addRow("Nodes", self.hide_small)
        note = Label(
            "Width is the share of the ring. Height and colour are drawn on the innermost ring alone, on one scale.",
            self,
        )
        note.setWordWrap(True)
        note.setObjectName("muted")
        form.addRow(note)
        self.show_metrics(metrics)
        self._lead()

    def _lead(self) -> None:
        """Let what is chosen here change the picture."""
        session, desk = self.session, self.desk
        self.mapping_chosen.connect(session.map)
        self.time_range.follow(session)
        self.relation_controls.follow(session)
        self.reset_asked.connect(lambda: session.set_view(mapping=session.usual_mapping))
        self.refused.connect(desk.say)
        self.beta_chosen.connect(lambda beta: session.set_view(beta=beta))
        self.guesses_chosen.connect(lambda shown: session.set_view(guesses=shown))
        self.external_chosen.connect(lambda shown: session.set_view(external=shown))
        self.kind_chosen.connect(lambda kind, shown: session.show_kind(kind, shown=shown))
        self.hide_small.clicked.connect(lambda _on: desk.do("hide_small"))
        desk.panel(StructurePanel).graph_shown.connect(lambda: QTimer.singleShot(STEP, self._count_later))

    def follow(self, changes: frozenset[Change]) -> None:
        """Show what the session shows."""
        session = self.session
        others = Change.TRACE in changes and list(session.metrics) != self._offered
        if others or changes & {Change.PROJECT, Change.DEPTH}:
            self.show_metrics(session.metrics)
            self.show_view(session.view)
        if changes & {Change.PLAN, Change.TRACE} and not is_large(session.graph):
            self._count()
        if Change.VIEW not in changes:
            return
        view, before = session.view, self._seen
        self._seen = view
        if view.drag is not None:
            return
        if (view.mapping, view.beta) != (before.mapping, before.beta):
            self.show_view(view)
        if _filter(view) != _filter(before):
            self._count()
        self.show_scene(session.scene())

    def _count(self) -> None:
        """Say how much each switch is about."""
        view = self.session.view
        self.counts = counts(self.session.graph, view.guesses, view.external)
        self.show_counts(self.counts, view)

    def _count_later(self) -> None:
        if self.session.is_open:
            self._count()
            self.desk.refresh()

    def _list(self, label: str, field: str, rows: Iterable[tuple[str, str, QIcon | None]], tip: str) -> QComboBox:
        """A list in a row of the form, whose data are values of a field of the mapping; empty = of no field."""
        choice = DropList(self)
        choice.stay_narrow(6)  # the panel may be narrow
        choice.setIconSize(SIZE)
        set_tooltip(choice, tip)
        choice.setAccessibleName(tip)
        for name, text, swatch in rows:
            choice.addItem(text, name) if swatch is None else choice.addItem(swatch, text, name)
        if field:
            choice.activated.connect(lambda _row: self.mapping_chosen.emit(field, choice.currentData()))
        add_row(self._form, label, choice).setObjectName("muted" if label in DEPENDENT else "")
        return choice

    def show_metrics(self, metrics: Mapping[str, Metric]) -> None:
        """Offer these metrics; thicknesses by calls only while there are any."""
        self._metrics, self._offered = metrics, list(metrics)
        self.thickness.clear()
        for name, text in THICKNESSES.items():
            if name not in OF_TRACES or RUN_TIME_CALLS in metrics:
                self.thickness.addItem(text, name)
        for variable, choice in self._choices.items():
            choice.clear()
            for name, metric in metrics.items():
                if metric.names is None or variable == "color":  # a class has no extent
                    choice.addItem(metric.label, name)
                    set_row_tooltip(choice, choice.count() - 1, metric.description)

    def show_view(self, view: ViewState) -> None:
        """Follow the view state."""
        mapping = self._mapping = view.mapping
        for variable, choice in self._choices.items():
            _set(choice, getattr(mapping, variable))
            self._offer_aggregations(variable, self._metrics.get(getattr(mapping, variable)))
            _set(self.aggregations[variable], getattr(mapping, f"{variable}_by"))
        for variable, choice in self.scales.items():
            _set(choice, getattr(mapping, f"{variable}_scale").kind)
        classes = (metric := self._metrics.get(mapping.color)) is not None and metric.names is not None
        for widget in (self.scales["color"], self.ranges["color"], self.color_map):
            widget.setEnabled(not classes)
        set_tooltip(self.color_map, "Classes have the colours of Okabe and Ito" if classes else "Colour map")
        _set(self.color_map, mapping.color_map)
        _set(self.thickness, mapping.thickness)
        _set(self.relation_colors, mapping.relations)
        _set(self.blending, mapping.blending)
        if self.relation_colors.itemIcon(0).isNull() or view.theme != self._theme:
            self._theme = view.theme
            for row, name in enumerate(RELATION_MAPS):
                self.relation_colors.setItemIcon(row, relation_swatch(name, view.theme))
        self.straightness.blockSignals(True)
        self.straightness.setValue(round(view.beta * 100))
        self.straightness.blockSignals(False)
        self.guesses.setChecked(view.guesses)
        self.external.setChecked(view.external)
        for kind, box in self.kinds.items():
            box.setChecked(kind not in view.kinds_off)

    def show_scene(self, scene: Scene) -> None:
        """Follow what the scales come to."""
        before, self._scene = self._scene, scene
        pairs = {"height": scene.height_legend, "color": scene.color_legend}
        if before is not None and (before.height_legend, before.color_legend) == tuple(pairs.values()):
            return
        for variable, legend in pairs.items():
            self.ranges[variable].show_scale(getattr(self._mapping, f"{variable}_scale"), legend)

    def close_down(self) -> None:
        """The window closes: follow the session no longer."""
        self.time_range.close_down()
        self.relation_controls.close_down()

    def point_at(self, what: str, *, edit_range: bool = False) -> None:
        """Bring into sight, with the keyboard on it: `height`, `color` or `thickness` of a legend, or `history`."""
        others = {"history": self.time_range}
        ranged = edit_range and what in self.ranges and self.ranges[what].isEnabled()
        target = self.ranges[what].minimum if ranged else self._choices.get(what, others.get(what, self.thickness))
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if ranged:
            self.ranges[what].minimum.selectAll()
        self._area.ensureWidgetVisible(target)

    def _offer_aggregations(self, variable: str, metric: Metric | None) -> None:
        choice, ways = self.aggregations[variable], () if metric is None else choices(metric)
        own = "" if metric is None else own_way(metric)
        if [choice.itemText(0), *(choice.itemData(row) for row in range(1, choice.count()))] != [own, *ways]:
            choice.clear()
            choice.addItem(own, "")
            for way in ways:
                choice.addItem(AGGREGATIONS[way], way)
        choice.setEnabled(bool(ways))

    def _choose_scale(self, variable: str) -> None:
        scale: Scale = getattr(self._mapping, f"{variable}_scale")
        kind = str(self.scales[variable].currentData())
        self.mapping_chosen.emit(f"{variable}_scale", replace(scale, kind=kind))

    def _choose_range(self, variable: str, low: float | None, high: float | None) -> None:
        scale: Scale = getattr(self._mapping, f"{variable}_scale")
        self.mapping_chosen.emit(f"{variable}_scale", replace(scale, minimum=low, maximum=high))

    def show_counts(self, counts: Counts, view: ViewState) -> None:
        """Offer the switches of another graph."""
        self.guesses.setText(f"Guessed relations ({counts.guesses:,})")
        self.guesses.setEnabled(counts.guesses > 0)
        self.external.setText(f"External packages ({counts.packages:,})")
        self.external.setEnabled(counts.packages > 0)
        kinds = dict(counts.kinds)
        if self.session.coupling.is_offered:
            kinds.setdefault(CO_CHANGE, UNKNOWN)
        for kind in self.kinds.keys() - kinds.keys():
            box = self.kinds.pop(kind)
            self._kinds.removeWidget(box)
            box.deleteLater()
        for kind, count in kinds.items():
            if kind not in self.kinds:
                box = self.kinds[kind] = _switch(kind, f"Relations of the kind {kind!r}", self)
                box.clicked.connect(lambda shown, kind=kind: self.kind_chosen.emit(kind, shown))
                self._kinds.addWidget(box)
            number = "" if count == UNKNOWN else f" ({count:,})"
            set_caption(self.kinds[kind], f"{label_of_kind(kind).capitalize()}{number}")
        self.show_view(view)

    def _bundle(self, value: int) -> None:
        self.beta_chosen.emit(value / 100)


def _muted(text: str, parent: QWidget) -> Label:
    """The name of a row that belongs to the one above."""
    label = Label(text, parent)
    label.setObjectName("muted")
    return label


def _set(choice: QComboBox, value: str) -> None:
    choice.setCurrentIndex(choice.findData(value))


def _switch(text: str, tip: str, parent: QWidget) -> QCheckBox:
    box = QCheckBox(caption(text), parent)
    set_tooltip(box, tip)
    return box


def _filter(view: ViewState) -> tuple[object, ...]:
    """What decides which relations are shown at all."""
    return view.guesses, view.external, view.kinds_off, view.filter
