"""Rules made from what is selected, edited and removed; each change is told, and can be taken back (NEW-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cbvtool.config import FILE_NAME
from cbvtool.errors import InputError
from cbvtool.rules.rule_kinds import Rule, words_of
from cbvtool.rules.rule_tables import table_of
from cbvtool.rules.rules_edit import RulePlace, rule_at, with_rule, without_rule
from cbvtool.view.desk import Desk
from cbvtool.view.panels.rules.rule_dialog import RuleDialog

CYCLES = f'This rule is one word of {FILE_NAME}: cycles = "forbid".'


class RuleEditor:
    """Belongs to a window. `dialog` is the one that was opened last."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._editing = desk, desk.session.rule_editing
        self.dialog: RuleDialog | None = None

    @property
    def can_edit(self) -> bool:
        """Whether what is open can have rules."""
        return self._editing.can_edit

    @property
    def can_undo(self) -> bool:
        """Whether a change of the rules can be taken back."""
        return self._editing.can_undo

    def make(self, kind: str = "forbidden") -> None:
        """Begin a rule of a kind with what is selected."""
        self._open(begun(kind, self.selected()), "New rule", None)

    def selected(self) -> list[str]:
        """Names of the selected nodes as rules name them, in the order of selecting."""
        graph = self._desk.here.session.graph
        return [graph.ids[key] for key in self._desk.here.session.view.selected if key != graph.root]

    def edit(self, place: RulePlace) -> None:
        """Edit the rule there."""
        rules = self._desk.session.rules
        rule = None if rules is None else rule_at(rules, place)
        if rule is None:
            self._desk.say(CYCLES)
        else:
            self._open(table_of(rule), "Edit rule", place)

    def remove(self, place: RulePlace) -> None:
        """Take the rule there out of the file."""
        try:
            was = self._editing.read()
            rule = rule_at(was.rules, place)
            self._editing.write(was.text, without_rule(was.text, place))
        except (InputError, IndexError) as error:
            self._desk.say(str(error) if isinstance(error, InputError) else f"{FILE_NAME} holds no such rule any more.")
            return
        self._told("Removed", rule)

    def undo(self) -> None:
        """Take back the last change of the file."""
        try:
            self._editing.undo()
        except InputError as error:
            self._desk.say(str(error))
        else:
            self._desk.say(f"{FILE_NAME} is as it was before the last change.", error=False)

    def _open(self, table: Mapping[str, Any], title: str, place: RulePlace | None) -> None:
        try:
            was = self._editing.read()
        except InputError as error:
            self._desk.say(str(error))
            return

        def save(rule: Rule) -> bool:
            try:
                self._editing.write(was.text, with_rule(was.text, rule, place))
            except InputError as error:
                self._desk.say(str(error))
                return False
            self._told("Saved", rule)
            return True

        if self.dialog is not None:
            self.dialog.close()
        self.dialog = RuleDialog(self._desk, table, title, save)
        self.dialog.show()

    def _told(self, what: str, rule: Rule | None) -> None:
        said = "" if rule is None else f": {rule.terms.name or words_of(rule)}"
        self._desk.say(f"{what} in {FILE_NAME}{said}.", error=False, offer="Undo", run=self.undo)


def begun(kind: str, names: Sequence[str]) -> dict[str, Any]:
    """The table of a new rule about nodes that were selected in this order."""
    first, rest = list(names[:1]), list(names[1:])
    match kind:
        case "forbidden":
            return {"kind": kind, "from": first, "to": rest}
        case "layers":
            return {"kind": kind, "layers": list(names)}
        case "interface":
            above = list(dict.fromkeys(name.rpartition("/")[0] for name in names if "/" in name))
            return {"kind": kind, "modules": above, "public": list(names)}
        case "protected":
            return {"kind": kind, "modules": first, "users": rest}
        case "independence":
            return {"kind": kind, "modules": list(names)}
        case _:
            return {"kind": kind}
