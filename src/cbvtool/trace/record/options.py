"""What a user can ask of a recording, and what comes of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class RecordOptions:
    """How a program is recorded.

    folder         receives the recording; it must not exist, or be empty
    repeat         runs, each recorded into folder/1 ... folder/N; 0 = one run, into the folder itself
    cpu_time       record thread CPU time, too; None = only where the run is repeated
    cpu_depth      only for calls above this depth; 0 = all
    delay          seconds from the start of each process until recording begins
    duration       seconds that it lasts; 0 = to the end
    paused         begin when told: by `signal`, or by `cbvtool_recorder.start()` in the program
    signal         name of the signal that starts and stops recording in the process that gets it, "" = none: "USR2"
    last           keep only this many seconds before the end; 0 = everything
    sample         take the stacks of all threads every so many seconds, in place of each call; 0 = each call
    limit          calls after which a function is recorded no more; 0 = none
    exclude        patterns of functions that are not recorded: "module:Qualified.name", "*/file.py", with * and ?
    exclude_file   a file of such patterns, one a line, `#` begins a comment
    c_functions    record functions that are not written in Python, and I/O of files
    objects        record waits for locks, conditions, queues and events, and their releases
    arguments      record arguments and return values, as text of at most this many characters; 0 = not
    commit, dirty  of the source of the program; the caller knows git
    """

    folder: Path
    repeat: int = 0
    cpu_time: bool | None = None
    cpu_depth: int = 0
    delay: float = 0.0
    duration: float = 0.0
    paused: bool = False
    signal: str = ""
    last: float = 0.0
    sample: float = 0.0
    limit: int = 0
    exclude: tuple[str, ...] = ()
    exclude_file: Path | None = None
    c_functions: bool = False
    objects: bool = True
    arguments: int = 0
    commit: str = ""
    dirty: bool | None = None


@dataclass(frozen=True)
class Recorded:
    """What a recording left.

    folders     one for each run: what `read_traces` reads
    status      exit status of the last run, or of the first that failed: negative = ended by that signal
    warnings    sentences for the user: what could not be recorded, and why
    """

    folders: tuple[Path, ...]
    status: int
    warnings: tuple[str, ...] = field(default=())


CAVEAT = (
    "Recording slows every call down: short calls look longer, and threads may meet in another order than without it."
)
