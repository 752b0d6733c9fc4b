"""Start a program so that it is recorded."""

from __future__ import annotations

from collections.abc import Sequence

from cbvtool.progress import Progress, silent
from cbvtool.trace.record.options import Recorded, RecordOptions


def record(options: RecordOptions, command: Sequence[str], progress: Progress = silent) -> Recorded:
    """Run `command` as often as asked, recorded. Raises InputError where it cannot be started.

    progress  is told "Recording" and the number of the run
    """
    raise NotImplementedError
