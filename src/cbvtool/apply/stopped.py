"""Why a plan, or a task of it, is not carried out."""

from __future__ import annotations


class Stopped(Exception):
    """One sentence for people about what cannot be done, and why.

    file  path that it is about, as it is today; empty for none
    """

    def __init__(self, reason: str, file: str = "") -> None:
        super().__init__(reason)
        self.reason, self.file = reason, file
