"""The view repository: a private bare repository through which git reads the subject's objects, and nothing else.

In an untrusted repository, plain git commands run programs named in its configuration and attributes (file-system
monitors, signature checkers, external diffs, text converters, filters, transports of a lazy fetch). The view repository
is our own: empty except for HEAD, with the subject's object database as an alternate. Objects are data, so that nothing
of the subject can be run, and git does not care who owns it.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.locate import NotReadable, Repository, resolve_head, shallow_boundary
from cbvtool.mining.object_files import check_objects
from cbvtool.mining.processes import Processes, RunningProgram, Slow, limited

if TYPE_CHECKING:
    import subprocess

    from git import Git

_MEMORY = 700_000_000  # bytes that git may allocate; mapped files, mainly packs, do not count
_OUTPUT = 250_000_000  # largest output that is read as a whole, in bytes
_MAIL_MAP = 1_000_000  # bytes; the mail map of Linux has 60 kB, and git's time is quadratic in the lines
# Processor time for which git may be silent: a number of seconds, and one more for each so many bytes of objects.
_SILENCE, _BYTES_IN_A_SECOND = 6.0, 10_000_000

# Apply the mail map of the commit, a list of names and addresses: data only.
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
[fastimport]
\tunpackLimit = 1000000
"""
_MAILMAP = "[mailmap]\n\tblob = HEAD:.mailmap\n"
_SHA256 = "[extensions]\n\tobjectformat = sha256\n"

# Environment variables that could lead git elsewhere than to the view repository (for example if a hook runs cbvtool)
# get a neutral value, here and in `open_view`: GitPython can set variables but not remove them.
_NEUTRAL = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_COUNT": "0",
    "GIT_CONFIG_PARAMETERS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_FLUSH": "0",  # write whole buffers; flushing after every commit would cost a process switch each
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


class GitFailed(Exception):
    """git ended with an error; the text is the first line of its message.

    killed  by a signal, in the middle of its output
    slow    killed by cbvtool, because it took too long
    """

    def __init__(self, message: str, killed: bool, slow: bool = False) -> None:
        super().__init__(message)
        self.killed, self.slow = killed, slow


@dataclass(frozen=True)
class ViewRepository:
    """An open view repository.

    head      full id of the commit that it shows
    boundary  ids of commits whose parents a shallow clone omits
    silence   seconds of processor time after which a git without output is stopped
    identity  path that identifies the repository, independent of its commits
    """

    git: Git
    environment: dict[str, str]
    head: str
    boundary: frozenset[str]
    silence: float = _SILENCE
    processes: Processes = field(default_factory=Processes)
    identity: str = ""

    @cached_property
    def git_version(self) -> str:
        """The version that git reports. Raises GitFailed."""
        return self.output("version").decode("utf-8", "replace").strip()

    @cached_property
    def mail_map(self) -> str:
        """Id of the mail map of the commit; empty if it has none. Raises GitFailed."""
        (answer,) = self.ask([b"HEAD:.mailmap"], "%(objectname)")
        return "" if b" " in answer else answer.decode("ascii", "replace")

    def output(self, command: str, *arguments: str, reads: Path | None = None) -> bytes:
        """The whole output of `git <command>`.

        reads  file for its standard input

        Raises GitFailed, also if the output is too large.
        """
        budget = Budget(f"git {command}", size=_OUTPUT)
        pieces = []
        with contextlib.closing(self.stream(command, *arguments, reads=reads)) as chunks:
            for chunk in chunks:
                try:
                    budget.spend(size=len(chunk))
                except OverBudget as reason:
                    raise GitFailed(str(reason).rstrip("."), killed=True) from reason
                pieces.append(chunk)
        return b"".join(pieces)

    def have(self, names: Sequence[bytes]) -> list[bool]:
        """Whether each object exists; names have any form without a line end, for example `<commit>:<path>`.

        Raises GitFailed.
        """
        if not names:
            return []
        return [not answer.endswith(b" missing") for answer in self.ask(names, "%(objectname)")]

    def size(self, name: bytes) -> int:
        """Size of an object in bytes, from its header; 0 if it does not exist.

        Raises GitFailed.
        """
        (answer,) = self.ask([name], "%(objectsize)")
        return int(answer) if answer.isdigit() else 0

    def commits_of(self, names: Sequence[bytes]) -> list[str]:
        """Full id of the commit of each object, which is a commit or a tag of one; empty if there is none.

        Raises GitFailed.
        """
        answers = self.ask([name + b"^{commit}" for name in names], "%(objectname)") if names else []
        return ["" if b" " in answer else answer.decode("ascii", "replace") for answer in answers]

    def ask(self, names: Sequence[bytes], answer: str) -> list[bytes]:
        """The output of `git cat-file --batch-check` for each object, in the format `answer`. Raises GitFailed."""
        with self.questions(names) as asked:
            answers = self.output("cat-file", f"--batch-check={answer}", "--buffer", reads=asked)
        return answers.split(b"\n")[:-1]

    @contextlib.contextmanager
    def questions(self, lines: Sequence[bytes]) -> Iterator[Path]:
        """A temporary file with these lines, for the standard input of git."""
        with tempfile.TemporaryDirectory(dir=Path(self.environment["GIT_DIR"]).parent) as folder:
            file = Path(folder, "questions")
            file.write_bytes(b"\n".join([*lines, b""]))
            yield file

    def stream(
        self, command: str, *arguments: str, reads: Path | None = None, seconds: float = math.inf
    ) -> Generator[bytes]:
        """The output of `git <command>`, in chunks as they arrive; closing the iterator ends the process.

        reads    file for its standard input
        seconds  limit of processor time

        Raises GitFailed after the last chunk if git ended with an error or was stopped, and Cancelled at once if the
        processes are stopped.
        """
        with self.start(command, *arguments, reads=reads) as program:
            try:
                yield from program.chunks(self.silence, seconds)
            except Slow as reason:
                raise GitFailed(f"git {command}: {reason}", killed=True, slow=True) from reason
        status = program.returncode
        if status is None:
            raise GitFailed(f"git {command} does not end", killed=True, slow=True)
        if status:
            lines = program.complaint.splitlines()
            fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
            raise GitFailed((fatal or lines or [f"git {command} ended with status {status}"])[0], status < 0)

    @contextlib.contextmanager
    def start(self, command: str, *arguments: str, reads: Path | None = None) -> Iterator[RunningProgram]:
        """The running program `git <command>`; leaving the block ends it.

        reads  file for its standard input
        """

        def start() -> subprocess.Popen[bytes]:
            # It gets the guardian's pipe and reports itself, because we may be killed before we could report it.
            pipe = self.processes.guardian_pipe
            file = os.fspath(reads or os.devnull)
            call = [str(self.git.GIT_PYTHON_GIT_EXECUTABLE), command, *arguments]
            call = limited(call, _MEMORY, announced=pipe is not None, reads=file)
            with contextlib.nullcontext(pipe) if pipe is not None else open(file, "rb") as stdin:
                run = partial(self.git.execute, call, istream=stdin, as_process=True)
                handle = run(env=self.environment, start_new_session=True)
            process = cast("subprocess.Popen[bytes]", handle.proc)
            handle.proc = None  # otherwise GitPython would end the process, and wait for it, at garbage collection
            return process

        with self.processes.running(start) as program:
            yield program


@contextlib.contextmanager
def open_view(repository: Repository, processes: Processes | None = None) -> Iterator[ViewRepository]:
    """A view of `repository` at its HEAD, in a temporary folder; leaving the block removes the folder.

    processes  allows the caller to stop the work on the view from any thread

    Raises NotReadable if there is no commit, if git is not installed, or if the repository contains, in place of a
    file, something that git would wait for.
    """
    processes = processes or Processes()
    head = resolve_head(repository)
    if not head:
        raise NotReadable(f"The repository at {repository.work_tree or repository.git_dir} has no commits yet.")
    try:
        from git import Git  # imported late: looks for the git program, which only histories need
    except ImportError as problem:
        raise NotReadable("The program git was not found, so no history was read; install git.") from problem
    boundary = shallow_boundary(repository)
    silence = _SILENCE + check_objects(repository.objects) / _BYTES_IN_A_SECOND
    with _folder() as folder, processes.guarded(folder):
        place, empty = folder / "view.git", folder / "empty"
        for part in (place / "objects" / "info", place / "refs", empty):
            part.mkdir(parents=True)
        sha256 = len(head) == 64
        config = _CONFIG.format(version=int(sha256)) + _SHA256 * sha256
        _write(place / "config", config)
        _write(place / "HEAD", head)
        _write(place / "objects" / "info" / "alternates", _quoted(repository.objects))
        if boundary:
            _write(place / "shallow", "\n".join(sorted(boundary)))
        environment = _NEUTRAL | {
            "GIT_DIR": str(place),
            "GIT_COMMON_DIR": str(place),
            "GIT_OBJECT_DIRECTORY": str(place / "objects"),
            "GIT_SHALLOW_FILE": str(place / "shallow"),
            "GIT_GRAFT_FILE": str(place / "grafts"),
            "HOME": str(empty),
            "XDG_CONFIG_HOME": str(empty),
        }
        view = ViewRepository(
            Git(str(empty)), environment, head, boundary, silence, processes, str(repository.common_dir)
        )
        with contextlib.suppress(GitFailed):  # reading the history will report it again
            if 0 < view.size(b"HEAD:.mailmap") <= _MAIL_MAP:
                _write(place / "config", config + _MAILMAP)
        yield view


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cbvtool-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _write(file: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape") + b"\n")


def _quoted(path: Path) -> str:
    """A path as a line of `objects/info/alternates`: C-quoted, because it may contain a line end or a quote."""
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(special.get(c, c) for c in path.as_posix()) + '"'
