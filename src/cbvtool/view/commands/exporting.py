"""Pictures and reports out of the window: asks what is wanted, makes it beside the work, and says how far it is."""

from __future__ import annotations

from math import atan, degrees, radians, tan
from pathlib import Path

from qtpy.QtCore import QObject

from cbvtool.drawing.pillow_painter import font_files, text_width
from cbvtool.export.files import SORTS, write_drawing
from cbvtool.export.size import logical
from cbvtool.formats.atomic import replacing
from cbvtool.geometry.camera import Camera
from cbvtool.history.time_range import last_months
from cbvtool.mining.processes import Processes
from cbvtool.progress import Progress, checkpoint
from cbvtool.report.gathered import gather
from cbvtool.report.page import page
from cbvtool.report.sheet_pages import sheets
from cbvtool.view.commands.documents import Documents
from cbvtool.view.commands.export_dialog import ExportDialog, Wanted
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.file_dialogs import ask_where

_MONTHS = 6  # that a report looks back, as in `cbvtool report`


class Exporting(QObject):
    """Belongs to a window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._suffix = ".png"  # chosen last

    @property
    def busy(self) -> bool:
        """Whether something is being written."""
        return self._desk.jobs.is_busy(self)

    def ask(self, suffix: str = "") -> None:
        """Ask what is wanted and where to; begin with that sort, or the one chosen last."""
        stage, window = self._desk.here.stage, self._desk.widget
        dialog = ExportDialog(stage.size, suffix or self._suffix, window, density=window.devicePixelRatioF())
        chosen, wanted = dialog.exec_(), dialog.wanted
        dialog.deleteLater()
        if chosen and (file := self._ask_file(wanted.suffix)) is not None:
            self._suffix = wanted.suffix
            self.write(file, wanted)

    def _ask_file(self, suffix: str) -> Path | None:
        project = self._desk.session.project
        assert project is not None
        suggestion = self._desk.part(Documents).folder() / f"{project.name}{suffix}"
        file = ask_where("Export the view", suggestion, {suffix: SORTS[suffix]}, self._desk.widget)
        if file is not None:
            self._desk.settings.folder = file.parent
        return file

    def write(self, file: Path, wanted: Wanted) -> None:
        """Write what the view that has the focus shows to `file`, in the background."""
        stage, session = self._desk.here.stage, self._desk.session
        scene, project = stage.scene, session.project
        assert scene is not None
        assert project is not None
        size, scale = logical(wanted.pixels, stage.size)
        camera, emphasis = same_view(stage.camera, stage.size, size), stage.standing_out
        title, commit = project.name, project.commit[:7]

        def work(progress: Progress) -> None:
            progress(f"writing {file.name}", 0, 0)
            if wanted.suffix == ".png":
                from cbvtool.drawing.offscreen import PictureOptions, picture, save

                look = PictureOptions(
                    size, scale, title, commit, wanted.heading, wanted.legends, wanted.transparent, wanted.pixels
                )
                save(picture(scene, look, camera=camera, emphasis=emphasis, progress=progress), file)
                return
            write_drawing(
                scene,
                file,
                title=title,
                commit=commit,
                legends=wanted.legends,
                measure=text_width,
                fonts=font_files(),
                pixels=wanted.pixels,
                size=size,
                heading=wanted.heading,
                transparent=wanted.transparent,
                items=emphasis.items,
                relations=emphasis.relations,
            )

        self._desk.jobs.run(
            self,
            f"Writing {file.name}",
            work,
            lambda _: self._desk.note(f"Saved {file.name}"),
            self._desk.say,
            at_once=True,
            ends=True,
        )

    def ask_report(self) -> None:
        """Ask where to, and write the report there."""
        project = self._desk.session.project
        assert project is not None
        suggestion = self._desk.part(Documents).folder() / f"{project.name}-report.html"
        kinds = {".html": "One page for a browser", ".pdf": "Fact sheets of modules"}
        if (file := ask_where("Write a report", suggestion, kinds, self._desk.widget)) is not None:
            self._desk.settings.folder = file.parent
            self.write_report(file)

    def write_report(self, file: Path) -> None:
        """Write a report on what is open, in the background: a page, or fact sheets by the suffix of `file`.

        It compares with the beginning of the chosen range of time, or with six months before the end of the history.
        """
        session, processes = self._desk.session, Processes()
        project, document, view = session.project, session.document(), session.view
        assert project is not None
        changes, metrics = project.changes, session.metrics
        since = view.since if view.since is not None or changes is None else last_months(changes, _MONTHS)[0]

        def work(progress: Progress) -> None:
            one = gather(
                project, document, since=since, metrics=metrics, processes=processes, progress=progress, cache=True
            )
            progress(f"writing {file.name}", 0, 0)
            content = sheets(one, text_width, font_files()) if file.suffix.lower() == ".pdf" else page(one, text_width)
            checkpoint()  # nothing is half done yet
            with replacing(file) as opened:
                opened.write(content)

        self._desk.jobs.run(
            self,
            f"Writing the report {file.name}",
            work,
            lambda _: self._desk.note(f"Saved {file.name}"),
            self._desk.say,
            purpose="report",
            cancelled=processes.stop,
            at_once=True,
            ends=True,
        )


def same_view(camera: Camera, shown: tuple[int, int], size: tuple[int, int]) -> Camera:
    """The camera that shows everything in a picture of `size` as it does in one of `shown`, about the middle."""
    half = tan(radians(camera.fov) / 2) * size[1] / shown[1]
    return camera.with_(fov=degrees(2 * atan(half)))
