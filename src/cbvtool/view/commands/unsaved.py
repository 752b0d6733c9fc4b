"""Unsaved plans: keeps a recovery copy of this window's own, and offers those of windows that are dead."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

from qtpy.QtCore import QObject, QTimer

from cbvtool.errors import InputError
from cbvtool.plan.document import read_document
from cbvtool.plan.recovery import OwnCopies, RecoveryCopy, discard_copy, find_offered, key_of
from cbvtool.session.change import Change
from cbvtool.view.commands.documents import Documents
from cbvtool.view.desk import Desk
from cbvtool.view.panels.recovery_bar import RecoveryBar, describe
from cbvtool.view.toolkit.plain import Buttons, Roles, message_box

WRITE, FIND = "write", "find"  # purposes of its jobs

log = logging.getLogger(__name__)
TRY_AGAIN_AFTER = 30_000  # ms after a copy could not be written


class Unsaved(QObject):
    """Belongs to a window.

    A copy is written in a thread as soon as the plan has changed, one at a time. What removes copies is in
    `cbvtool.plan.recovery`; here it is only called when the plan was saved, or somebody said that nobody needs it.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session = desk, desk.session
        self.bar = RecoveryBar(desk.widget)
        self.bar.restore_asked.connect(self.restore)
        self.bar.discard_asked.connect(self._ask_and_discard)
        self.own = OwnCopies()
        desk.part(Documents).settled.connect(self.settle)
        self._stale = False  # there is something to write after what is being written
        self._restoring = False
        self._fault = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.keep)
        self._unsubscribe = self._session.subscribe(self._changed)

    # -- the copy of what is planned here ----------------------------------------------------------------------

    @property
    def is_kept(self) -> bool:
        """Whether there is nothing to write any more."""
        return not self._desk.jobs.is_busy(self, WRITE) and not self._timer.isActive()

    @property
    def is_looking(self) -> bool:
        """Whether unsaved plans to offer are being looked for."""
        return self._desk.jobs.is_busy(self, FIND)

    def _changed(self, what: Change) -> None:
        if what == Change.PROJECT and not self._restoring:
            self._wait()
            self.own.begin()
        if what in (Change.PLAN, Change.FILE) and self._session.is_open:
            self._timer.start(0)

    def keep(self) -> None:
        """Write a copy of what is unsaved, or remove it when everything is saved."""
        if self._desk.jobs.is_busy(self, WRITE):
            self._stale = True
            return
        if (opened := self._opened()) is None:
            return
        if not self._session.unsaved:
            self.own.discard()
            return
        document, digest = self._session.document(), self._session.digest
        self._desk.jobs.run(
            self,
            "Keeping a copy of the plan",
            lambda _: self.own.write(document, opened, digest),
            self._written,
            self._not_written,
            purpose=WRITE,
            quiet=True,
        )

    def settle(self) -> None:
        """The plan was saved, or is not wanted: remove its copy."""
        self._timer.stop()
        self._wait()
        self.own.discard()

    def _written(self, _path: Path) -> None:
        self._fault = ""
        self._go_on()

    def _not_written(self, sentence: str) -> None:
        log.warning("%s", sentence)
        if sentence != self._fault:
            self._fault = sentence
            self._desk.say(f"The plan has no recovery copy, save it to be safe: {sentence}")
        self._timer.start(TRY_AGAIN_AFTER)
        self._go_on()

    def _go_on(self) -> None:
        if self._stale:
            self._stale = False
            self.keep()

    def _wait(self) -> None:
        """Until nothing is being written."""
        self._desk.jobs.wait(self, WRITE)
        self._stale = False

    def _opened(self) -> Path | None:
        project = self._session.project
        return self._session.file or (project.path if project else None)

    # -- copies of windows that are dead -----------------------------------------------------------------------

    def offer(self) -> None:
        """Look for unsaved plans of what is open, and offer them."""
        self.bar.show_copies(())
        opened, project, file = self._opened(), self._session.project, self._session.file
        if opened is None or project is None:
            return

        def find() -> list[RecoveryCopy]:
            try:
                return find_offered(opened, project.path, read_document(file) if file else None)
            except InputError:  # the document is gone or damaged: nothing is known to be saved
                return find_offered(opened, project.path, None)

        def show(copies: list[RecoveryCopy]) -> None:
            if self._opened() == opened:
                self.bar.show_copies(copies)

        self._desk.jobs.run(self, "Looking for unsaved plans", lambda _: find(), show, self._desk.say, purpose=FIND)

    def restore(self, copy: RecoveryCopy) -> None:
        """Go on with an offered plan, after asking about what is unsaved here."""
        session, opened = self._session, self._opened()
        if copy.document is None or opened is None or not self._desk.part(Documents).may_leave():
            return
        project, file = session.project, session.file
        assert project is not None
        if copy.named.key != key_of(opened):  # of another document, which is gone
            opened, file = project.path, None
        self._desk.part(Documents).stay()
        self.settle()
        try:
            self.own.claim(copy, opened)
        except InputError as error:
            self._desk.say(str(error))
            self._answered(copy)
            return
        digest = copy.digest
        if not copy.named.window and file is not None and file.is_file() and file.stat().st_mtime <= copy.time:
            digest = session.digest  # an earlier version did not say what it had read
        self._restoring = True
        try:
            document = replace(copy.document, subject=project.path, digest=digest)
            session.open(project, document, file, unsaved=True)
        except BaseException:
            self.own.begin()  # what is open is something else; the copy stays
            raise
        finally:
            self._restoring = False
        self._answered(copy)

    def _ask_and_discard(self, copy: RecoveryCopy) -> None:
        if self.ask_discard(copy):
            discard_copy(copy)
            self._answered(copy)

    def ask_discard(self, copy: RecoveryCopy) -> bool:
        """Whether an offered plan is really not wanted."""
        more = f"{describe(copy)} It cannot be brought back."
        box = message_box(self._desk.widget, "cbvtool", "Discard this unsaved plan?", more)
        discard = box.addButton("Discard", Roles.DestructiveRole)
        box.setDefaultButton(box.addButton(Buttons.Cancel))
        box.exec_()
        box.deleteLater()
        return box.clickedButton() is discard

    def _answered(self, copy: RecoveryCopy) -> None:
        self.bar.show_copies([other for other in self.bar.copies if other is not copy])

    # -- the end -----------------------------------------------------------------------------------------------

    def close(self, *, keep: bool) -> None:
        """The window closes. keep: nobody was asked, so the copy of what is unsaved is offered the next time."""
        self._unsubscribe()
        self._timer.stop()
        self._desk.jobs.stop(self)
        if not (keep and self._session.unsaved):
            self.own.discard()
        elif (opened := self._opened()) is not None:
            try:
                self.own.write(self._session.document(), opened, self._session.digest)
            except InputError as error:
                log.warning("%s", error)
        self.own.close()
