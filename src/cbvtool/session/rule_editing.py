"""Changes the rules of the open subject in its `cbvtool.toml`. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cbvtool.config import FILE_NAME, own_text
from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.rules import Rules, parse_rules
from cbvtool.session.change import Change
from cbvtool.session.state import State


@dataclass(frozen=True)
class RulesText:
    """The content of the file: its text, empty if there is none, and the rules in it."""

    text: str
    rules: Rules


class RuleEditing:
    """Reads and writes the file, and can undo what it wrote."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._written: list[tuple[Path, str | None, str]] = []  # (folder, text before, text after) of each change

    @property
    def can_edit(self) -> bool:
        """Whether the open subject is a folder, which can have such a file."""
        project = self._state.project
        return project is not None and project.kind == "folder" and self._state.compared is None

    @property
    def can_undo(self) -> bool:
        """Whether the last change can be undone in the open subject."""
        return self.can_edit and any(of == self._folder for of, _, _ in self._written)

    @property
    def _folder(self) -> Path:
        assert self._state.project is not None
        return self._state.project.path

    def read(self) -> RulesText:
        """The file as it is now. Raises InputError if it cannot be read, or if no folder is open."""
        text = self._now() or ""
        return RulesText(text, parse_rules(text))

    def _now(self) -> str | None:
        if not self.can_edit:
            raise InputError(f"Rules are kept in {FILE_NAME} of a folder: open one.")
        return own_text(self._folder)

    def write(self, before: str, after: str) -> None:
        """Replace the text `before` by `after`, and apply the rules in it.

        Raises InputError if the file has changed meanwhile, if `after` is not valid, or if it cannot be written.
        """
        now = self._now()
        if (now or "") != before:
            raise InputError(f"{FILE_NAME} was changed by another program meanwhile, so it was left as it is.")
        rules = self._put(after)
        self._written.append((self._folder, now, after))
        self._go_by(rules)

    def undo(self) -> None:
        """Undo the last change that was written. Raises InputError as `write` does."""
        place = next(i for i in reversed(range(len(self._written))) if self._written[i][0] == self._folder)
        _, before, after = self._written[place]
        if self._now() != after:
            raise InputError(f"{FILE_NAME} was changed by another program meanwhile, so it was left as it is.")
        rules = self._put(before)
        del self._written[place]
        self._go_by(rules)

    def _put(self, text: str | None) -> Rules:
        rules = parse_rules(text or "")
        file = self._folder / FILE_NAME
        try:
            if text is None:
                file.unlink()
            else:
                with replacing(file) as target:
                    target.write(text.encode())
        except OSError as error:
            raise InputError(f"{file} cannot be written: {error.strerror or error}.") from None
        return rules

    def _go_by(self, rules: Rules) -> None:
        self._state.rules = rules
        self._state.tell(Change.PLAN)
