"""What went wrong inside cbvtool, kept for a bug report."""

from __future__ import annotations

import logging
import re
import traceback
from collections import deque
from pathlib import Path

from cbvtool.view.toolkit.application import failures

KEPT = 5  # failures
_NAMES = re.compile(r"""(["'])(?:(?!\1).)*\1|\S*[/\\]\S*""")  # texts in quotes, and paths
_PACKAGE = Path(__file__).parents[3]  # cbvtool: the names of its files are no secret


class Failures(logging.Handler):
    """The last exceptions that nobody handled, in the window's thread and in its jobs. Part of a window."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._last: deque[str] = deque(maxlen=KEPT)
        failures.addHandler(self)

    def close_down(self) -> None:
        """The window closes."""
        failures.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text of an exception, and nothing of its frames; on any thread."""
        if record.exc_info and (error := record.exc_info[1]) is not None:
            text = told(error)
            if not self._last or self._last[-1] != text:
                self._last.append(text)

    @property
    def texts(self) -> list[str]:
        """Tracebacks, the latest last."""
        return list(self._last)


def told(error: BaseException) -> str:
    """The traceback of an exception without names of persons, folders and files of the user."""
    lines = ["Traceback (most recent call last):"]
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        is_ours = file.is_relative_to(_PACKAGE)
        name = file.relative_to(_PACKAGE.parent).as_posix() if is_ours else file.name
        lines.append(f'  File "{name}", line {frame.lineno}, in {frame.name}')
        lines += [f"    {frame.line}"] if is_ours and frame.line else []
    message = _NAMES.sub("...", str(error))
    return "\n".join([*lines, f"{type(error).__name__}: {message}"])
