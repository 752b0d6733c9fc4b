"""The view repository: a private bare repository through which git reads the subject's objects and nothing else.

Plain git calls in an untrusted repository run programs that its configuration and attributes name
(file-system monitors, signature checkers, external diffs, text converters, filters, transports of a lazy
fetch). The view repository is ours: empty but for HEAD, with the subject's object database as an
alternate. Objects are data, so nothing of the subject can be run, and its owner does not matter to git.
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

_MEMORY = 700_000_000  # bytes that git may allocate; the files that it maps, packs above all, do not count
_OUTPUT = 250_000_000  # bytes of an answer that is wanted as a whole
_MAIL_MAP = 1_000_000  # bytes; that of Linux has 60 kB, and git's time grows with the square of the lines
# Seconds of the processor in which git has to say something: so many, and one more for so many bytes of objects.
_SILENCE, _BYTES_IN_A_SECOND = 6.0, 10_000_000

# The mail map of the commit is applied: a list of names and addresses, data only.
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
[fastimport]
\tunpackLimit = 1000000
"""
_MAILMAP = "[mailmap]\n\tblob = HEAD:.mailmap\n"
_SHA256 = "[extensions]\n\tobjectformat = sha256\n"

# Variables by which our own surroundings (a hook that runs us, say) could lead git elsewhere than to the view
# repository get a neutral value, here and in `open_view`: GitPython can set variables but not remove them.
_NEUTRAL = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_COUNT": "0",
    "GIT_CONFIG_PARAMETERS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_FLUSH": "0",  # whole buffers at a time; after every commit costs a switch of processes for each
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


class GitFailed(Exception):
    """git ended with an error; the text is the first line it wrote about it.

    killed  by a signal, in the middle of whatever it wrote
    slow    by us, because it took too long
    """

    def __init__(self, message: str, killed: bool, slow: bool = False) -> None:
        super().__init__(message)
        self.killed, self.slow = killed, slow


@dataclass(frozen=True)
class ViewRepository:
    """An open view repository.

    head      full id of the commit it shows
    boundary  ids of commits whose parents a shallow clone left out
    silence   seconds, of the processor, after which a git that says nothing is stopped
    identity  what stands for the repository, whatever its commits
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
        """What git says its version is. Raises GitFailed."""
        return self.output("version").decode("utf-8", "replace").strip()

    @cached_property
    def mail_map(self) -> str:
        """Id of the mail map of the commit; empty where it has none. Raises GitFailed."""
        (answer,) = self.ask([b"HEAD:.mailmap"], "%(objectname)")
        return "" if b" " in answer else answer.decode("ascii", "replace")

    def output(self, command: str, *arguments: str, reads: Path | None = None) -> bytes:
        """All that `git <command>` writes.

        reads  what it is to find on its standard input

        Raises GitFailed, also where that is more than we want to hold.
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
        """Whether each object is there, named in any way that has no line end: `<commit>:<path>`, say.

        Raises GitFailed.
        """
        if not names:
            return []
        return [not answer.endswith(b" missing") for answer in self.ask(names, "%(objectname)")]

    def size(self, name: bytes) -> int:
        """Bytes of an object, as its beginning says; 0 where there is none.

        Raises GitFailed.
        """
        (answer,) = self.ask([name], "%(objectsize)")
        return int(answer) if answer.isdigit() else 0

    def commits_of(self, names: Sequence[bytes]) -> list[str]:
        """Full id of the commit that each object is, or is a tag of; empty where there is none.

        Raises GitFailed.
        """
        answers = self.ask([name + b"^{commit}" for name in names], "%(objectname)") if names else []
        return ["" if b" " in answer else answer.decode("ascii", "replace") for answer in answers]

    def ask(self, names: Sequence[bytes], answer: str) -> list[bytes]:
        """What `git cat-file --batch-check` says of each object, in the form `answer`. Raises GitFailed."""
        with self.questions(names) as asked:
            answers = self.output("cat-file", f"--batch-check={answer}", "--buffer", reads=asked)
        return answers.split(b"\n")[:-1]

    @contextlib.contextmanager
    def questions(self, lines: Sequence[bytes]) -> Iterator[Path]:
        """A temporary file of these lines, for the standard input of a git."""
        with tempfile.TemporaryDirectory(dir=Path(self.environment["GIT_DIR"]).parent) as folder:
            file = Path(folder, "questions")
            file.write_bytes(b"\n".join([*lines, b""]))
            yield file

    def stream(
        self, command: str, *arguments: str, reads: Path | None = None, seconds: float = math.inf
    ) -> Generator[bytes]:
        """What `git <command>` writes, in chunks as they come; closing the iterator ends the process.

        reads    what it is to find on its standard input
        seconds  of the processor, that git may take

        Raises GitFailed after the last chunk when git ended with an error or was stopped, and Cancelled once the
        processes are.
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
        """The running program `git <command>`; it is ended on leaving.

        reads  what it is to find on its standard input
        """

        def start() -> subprocess.Popen[bytes]:
            # It takes the guardian's pipe with it: we may be killed before we could tell the guardian of it.
            pipe = self.processes.guardian_pipe
            file = os.fspath(reads or os.devnull)
            call = [str(self.git.GIT_PYTHON_GIT_EXECUTABLE), command, *arguments]
            call = limited(call, _MEMORY, announced=pipe is not None, reads=file)
            with contextlib.nullcontext(pipe) if pipe is not None else open(file, "rb") as stdin:
                run = partial(self.git.execute, call, istream=stdin, as_process=True)
                handle = run(env=self.environment, start_new_session=True)
            process = cast("subprocess.Popen[bytes]", handle.proc)
            handle.proc = None  # else it would end the process, and wait for it, whenever it is collected
            return process

        with self.processes.running(start) as program:
            yield program


@contextlib.contextmanager
def open_view(repository: Repository, processes: Processes | None = None) -> Iterator[ViewRepository]:
    """A view of `repository` at its HEAD, in a temporary folder that is removed on leaving.

    processes  whoever has them can stop the work on the view from any thread

    Raises NotReadable when there is no commit, when git is not installed, and when the repository holds something in
    place of a file that git could wait for.
    """
    processes = processes or Processes()
    head = resolve_head(repository)
    if not head:
        raise NotReadable(f"The repository at {repository.work_tree or repository.git_dir} has no commits yet.")
    try:
        from git import Git  # late: looks for the git program, and only histories need it
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
        with contextlib.suppress(GitFailed):  # whoever reads the history will hear it again
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
    """A path as a line of `objects/info/alternates`: C-quoted, since it may hold a line end or a quote."""
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(special.get(c, c) for c in path.as_posix()) + '"'
