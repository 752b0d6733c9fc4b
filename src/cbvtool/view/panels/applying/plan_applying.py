"""The plan that is shown, carried out from the window (NEW-4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import QObject

from cbvtool.mining.processes import Processes
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.applying.apply_dialog import BRANCH, PATCH, ApplyDialog
from cbvtool.view.toolkit.file_dialogs import ask_where
from cbvtool.words import one_line

if TYPE_CHECKING:
    from cbvtool.apply.applying import Applied

CANCELLED = "Cancelled: nothing was written."


class PlanApplying(QObject):
    """Belongs to a window. `dialog` is None until it was opened."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session = desk, desk.session
        self.dialog: ApplyDialog | None = None
        self._unsubscribe = self._session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        self._desk.jobs.stop(self)

    @property
    def is_possible(self) -> bool:
        """Whether there is a plan for a folder with source code."""
        project, history = self._session.project, self._session.history
        return project is not None and project.kind == "folder" and history is not None and bool(history.done)

    def ask(self) -> None:
        """Open the dialog."""
        if self.dialog is None:
            self.dialog = ApplyDialog(self._desk)
            self.dialog.asked.connect(self._begin)
        if not self._desk.jobs.is_busy(self):
            self.dialog.offer(self._session.plan_choice.plans.current.name)
        project, history, dialog = self._session.project, self._session.history, self.dialog
        assert project is not None
        assert history is not None
        folder, base, tasks = project.path, history.base, self._session.tasks()

        def look(_: Progress) -> tuple[str, str, str]:
            from cbvtool.apply.proposed import proposed
            from cbvtool.apply.sandbox import sandbox

            found = proposed(folder, base, tasks)
            return found.tests, found.rewritten, f"{found.consent} {sandbox().lacks}".rstrip()

        self._desk.jobs.run(
            self,
            "Trying the sandbox",
            look,
            lambda found: dialog.propose(*found),
            self._desk.say,
            purpose="sandbox",
            quiet=True,
        )
        self.dialog.show()
        self.dialog.raise_()

    def _follow(self, what: Change) -> None:
        if what == Change.PROJECT and self.dialog is not None:
            self.dialog.reject()

    def _begin(self) -> None:
        dialog = self.dialog
        assert dialog is not None
        made, patch = dialog.result_kind.currentData(), None
        if made == PATCH and (patch := self._ask_file()) is None:
            return
        branch = dialog.branch.text().strip() if made == BRANCH else ""
        self.carry_out(branch, patch)

    def _ask_file(self) -> Path | None:
        project = self._session.project
        assert project is not None
        suggestion = self._desk.settings.folder / f"{project.name}.patch"
        return ask_where("Write a patch", suggestion, {".patch": "Patch for git apply"}, self._desk.widget)

    def carry_out(self, branch: str, patch: Path | None) -> None:
        """Carry the plan out in the background, as the dialog says: as a branch, as a patch, or only as a trial."""
        dialog, document, processes = self.dialog, self._session.document(), Processes()
        assert dialog is not None
        tests = dialog.tests.text().strip()
        keep_going, forward = dialog.keep_going.isChecked(), dialog.forward.isChecked()
        to = branch or ("" if patch is None else str(patch))

        def work(progress: Progress) -> tuple[Applied, str]:
            from cbvtool.apply.applying import Wish, apply_plan
            from cbvtool.apply.report import to_text

            wish = Wish(branch, patch, tests, keep_going=keep_going, forward=forward)
            found = apply_plan(document, document.plan, wish, progress, processes)
            return found, to_text(found, to)

        def stopped() -> None:
            processes.stop()
            dialog.tell(CANCELLED)

        dialog.wait()
        self._desk.jobs.run(
            self,
            f"Carrying out {one_line(document.plan.name)}",
            work,
            lambda found: self._tell(*found, to),
            dialog.tell,
            cancelled=stopped,
            at_once=True,
            ends=True,
        )

    def _tell(self, found: Applied, report: str, to: str) -> None:
        assert self.dialog is not None
        if found.stopped:
            self.dialog.tell(f"Stopped: {found.stopped}", report)
            return
        made = f"It is written to {to}." if to else "Nothing was written."
        done = f"{len(found.done):,} task{'' if len(found.done) == 1 else 's'} carried out"
        left = f", {len(found.left_out):,} left out" if found.left_out else ""
        fails = found.tests is not None and found.tests.status != 0
        fail = " The tests fail, with the plan and without it." if fails else ""
        self.dialog.tell(f"{done}{left}. {made}{fail}", report)
        self._desk.note(f"{done}{left}")
