"""The dialog for writing a rule: its content, and a preview of its violations before it is saved (NEW-5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup
from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QPlainTextEdit, QVBoxLayout

from cbvtool.config import FILE_NAME
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.rules import Rules, unknown_nodes
from cbvtool.rules.rule_kinds import Rule
from cbvtool.rules.rule_tables import rule_of
from cbvtool.rules.violations import JudgedRules, judged_rules
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, breakable, muted, set_caption, set_tooltip
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text

TITLES = {
    "forbidden": "Forbid",
    "layers": "Layers",
    "interface": "Public interface",
    "protected": "Protect",
    "allowed": "Allow only",
    "independence": "Keep independent",
    "acyclic": "Forbid cycles side by side",
}
# kind -> (key in the table, label) of its lists of names
LISTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "forbidden": (("from", "These"), ("to", "must not use")),
    "layers": (("layers", "Layers,\nhighest first"),),
    "interface": (("modules", "From outside of"), ("public", "only these\nmay be used")),
    "protected": (("modules", "These"), ("users", "may be used\nonly by")),
    "allowed": (("from", "These"), ("to", "may use only")),
    "independence": (("modules", "None of these\nmay use another"),),
    "acyclic": (("within", "In these folders\n(empty: in all)"),),
}
NAMES_TIP = "One in each line: a path, a glob such as shop/*/api, re: and a regular expression, or external:numpy"
CHAINED = ("forbidden", "layers", "independence")
SHOWN = 100  # violations of the preview
_WAIT = 300  # milliseconds without a key, before the preview is made
_BESIDE = "|"  # between layers side by side


class RuleDialog(QDialog):
    """Edits one rule; `save` is called with the edited rule, and returns whether the dialog may close.

    table  the rule at first, as a table of the file
    """

    def __init__(self, desk: Desk, table: Mapping[str, Any], title: str, save: Callable[[Rule], bool]) -> None:
        super().__init__(desk.widget)
        self.setWindowTitle(title)
        self.resize(620, 720)
        self._desk, self._save = desk, save
        self.rule: Rule | None = None
        self.kind = DropList(self)
        self.kind.setAccessibleName("Kind of rule")
        for kind, text in TITLES.items():
            self.kind.addItem(text, kind)
        self.lists = [self._names_field(number) for number in range(2)]
        self.labels = [Label("", self) for _ in self.lists]
        self.chains = QCheckBox("Also over other files", self)
        self.imports = QCheckBox("Imports alone", self)
        self.external = QCheckBox("Packages outside of the project must be listed, too", self)
        self.name, self.reason = QLineEdit(self), QLineEdit(self)
        self.name.setAccessibleName("Name of the rule")
        self.reason.setAccessibleName("Reason")
        set_tooltip(self.name, "Baselines know a rule by its name; without one, by what it says")
        self.told = Label("", self)
        self.told.setWordWrap(True)
        self.preview = TextBrowser("Preview of violations", self)
        self.preview.restyle(rich_text(look(desk.settings.theme)))
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Save) | standard.Cancel, self)
        if (button := self.buttons.button(standard.Save)) is not None:
            set_caption(button, f"Save to {FILE_NAME}")
        form = QFormLayout()
        form.addRow("Kind", self.kind)
        for row in zip(self.labels, self.lists, strict=True):
            form.addRow(*row)
        for box in (self.chains, self.imports, self.external):
            form.addRow("", box)
        form.addRow("Name", self.name)
        form.addRow("Reason", self.reason)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.told)
        column.addWidget(self.preview, 1)
        column.addWidget(self.buttons)
        self._rest: dict[str, Any] = {}
        self._fill(table)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WAIT)
        self._timer.timeout.connect(self._judge)
        self.kind.currentIndexChanged.connect(lambda _row: self._follow_kind())
        for box in (self.chains, self.imports, self.external):
            box.toggled.connect(lambda _on: self._renew())
        for line in (self.name, self.reason):
            line.textChanged.connect(lambda _text: self._renew())
        for field in self.lists:
            field.textChanged.connect(self._renew)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        self._follow_kind()
        self._timer.setInterval(0)
        self._renew()
        self._timer.setInterval(_WAIT)

    def _names_field(self, number: int) -> QPlainTextEdit:
        field = QPlainTextEdit(self)
        field.setAccessibleName(f"Names {number + 1}")
        field.setTabChangesFocus(True)
        field.setMaximumHeight(84)
        set_tooltip(field, NAMES_TIP)
        return field

    def _fill(self, table: Mapping[str, Any]) -> None:
        kind = str(table["kind"])
        self.kind.setCurrentIndex(self.kind.findData(kind))
        for (key, _), field in zip(LISTS[kind], self.lists, strict=False):
            value = table.get(key, [])
            rows = [value] if isinstance(value, str) else value
            field.setPlainText("\n".join(r if isinstance(r, str) else f" {_BESIDE} ".join(r) for r in rows))
        self.chains.setChecked(table.get("over") == "chains")
        self.imports.setChecked(table.get("relations") == "imports")
        self.external.setChecked(table.get("external") is True)
        self.name.setText(table.get("name", ""))
        self.reason.setText(table.get("reason", ""))
        self._rest = {key: table[key] for key in ("ignore", "type_checking") if key in table}

    def table(self) -> dict[str, Any]:
        """The content of the dialog, as a table for the file."""
        kind = str(self.kind.currentData())
        table: dict[str, Any] = {"kind": kind, **self._rest}
        for (key, _), field in zip(LISTS[kind], self.lists, strict=False):
            rows = [row.strip() for row in field.toPlainText().splitlines() if row.strip()]
            if key == "layers":
                table[key] = [[part.strip() for part in row.split(_BESIDE)] if _BESIDE in row else row for row in rows]
            else:
                table[key] = rows
        table |= {key: text for key, text in (("name", self.name.text()), ("reason", self.reason.text())) if text}
        if self.chains.isChecked() and kind in CHAINED:
            table["over"] = "chains"
        if self.imports.isChecked():
            table["relations"] = "imports"
        if self.external.isChecked() and kind == "allowed":
            table["external"] = True
        return table

    def _follow_kind(self) -> None:
        kind = str(self.kind.currentData())
        for number, (label, field) in enumerate(zip(self.labels, self.lists, strict=True)):
            there = number < len(LISTS[kind])
            label.setVisible(there)
            field.setVisible(there)
            label.setText(LISTS[kind][number][1] if there else "")
        self.chains.setVisible(kind in CHAINED)
        self.external.setVisible(kind == "allowed")
        self._renew()

    def _renew(self) -> None:
        """Read the rule, and check it when the user has stopped typing for a moment."""
        try:
            self.rule, said = rule_of(self.table(), "rule", "This rule")[0], ""
        except InputError as error:
            self.rule, said = None, str(error).replace(": rule.", ": ").replace(": rule lacks", " lacks")
        if (button := self.buttons.button(QDialogButtonBox.StandardButton.Save)) is not None:
            button.setEnabled(self.rule is not None)
        self.told.setText(said)
        if self.rule is None:
            self._timer.stop()
            self.preview.show_html(muted("What breaks the rule is shown here once it can be read."))
        else:
            self._timer.start()

    def _judge(self) -> None:
        rule, (base, graph) = self.rule, self._desk.session.state.pair
        if rule is None:
            return
        self._desk.jobs.run(
            self,
            "Judging a rule",
            lambda _progress: (judge(graph, rule), None if base is graph else len(judge(base, rule).violations)),
            lambda found: self._show(graph, *found) if rule == self.rule else None,
            lambda sentence: self.preview.show_html(muted(sentence)),
            cancelled=lambda: self.preview.show_html(muted("The judging was cancelled.")),
        )

    def _show(self, graph: Graph, found: JudgedRules, today: int | None) -> None:
        self.preview.show_html(preview_html(graph, found, today))

    def _accept(self) -> None:
        if self.rule is not None and self._save(self.rule):
            self.accept()


def judge(graph: Graph, rule: Rule) -> JudgedRules:
    """Violations of one rule, and notes on nodes in it that do not exist."""
    alone = Rules(stated=(rule,))
    found = judged_rules(graph, alone)
    return found._replace(notes=[*unknown_nodes(graph, alone), *found.notes])


def preview_html(graph: Graph, found: JudgedRules, today: int | None = None) -> Markup:
    """What would break the rule, as rich text.

    today  how much breaks it in the code as it is, where `graph` is that of a plan; None = there is no plan
    """
    count = len(found.violations)
    said = f"{count:,} violation{'' if count == 1 else 's'}" if count else "Nothing breaks it"
    said += "" if today is None else f" as planned; {today:,} in the code as it is"
    parts = [Markup("<h4>{}</h4>").format(said)]
    parts += [Markup("<p class='worse' style='margin:0'>{}</p>").format(breakable(note)) for note in found.notes]
    for one in found.violations[:SHOWN]:
        ends = f"{graph.ids[one.source]} → {graph.ids[one.target]}"
        over = f" over {len(one.links) - 1:,} more" if one.links else ""
        places = ", ".join(f"{path}:{line}" for path, line in one.sites[:3])
        parts.append(
            Markup("<p style='margin:4px 0 0 0'>{}{}</p><p class='muted' style='margin:0 0 0 10px'>{}</p>").format(
                breakable(ends), over, breakable(places)
            )
        )
    if count > SHOWN:
        parts.append(muted(f"and {count - SHOWN:,} more"))
    return Markup("").join(parts)
