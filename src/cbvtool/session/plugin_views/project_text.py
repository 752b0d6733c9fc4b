"""What views may read of the sources of the project that is open."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.errors import InputError
from cbvtool.evolution.changed_functions import changed_code
from cbvtool.plugin.view import CodeChanges
from cbvtool.progress import Progress
from cbvtool.project import Project


@dataclass(frozen=True, eq=False)
class ProjectText:
    """`cbvtool.api.SubjectCode`: the text of files as they were analysed, and what commits changed."""

    project: Project

    def text(self, file: str, commit: str = "") -> str:
        """The text of a file now; "" if it cannot be had, as at another commit."""
        return "" if commit else "\n".join(self.project.code.lines(file))

    def changed(self, old: str, new: str, progress: Progress) -> CodeChanges:
        """What differs between two commits. Raises InputError."""
        if self.project.kind != "folder":
            raise InputError("A graph that was opened from a file has no commits.")
        code, renames = changed_code(self.project.path, old, new, progress)
        return CodeChanges(tuple(code), renames)
