"""The view repository: a private bare repository through which git reads the subject's objects and nothing else.

Plain git calls in an untrusted repository run programs that its configuration and attributes name
(file-system monitors, signature checkers, external diffs, text converters, filters, transports of a lazy
fetch). The view repository is ours: empty but for HEAD, with the subject's object database as an
alternate. Objects are data, so nothing of the subject can be run, and its owner does not matter to git.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cbvtool.mining.locate import NotReadable, Repository, resolve_head, shallow_boundary

if TYPE_CHECKING:
    import subprocess

    from git import Git

_CHUNK = 1 << 18

# The mail map of the commit is applied: a list of names and addresses, data only.
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
[mailmap]
\tblob = HEAD:.mailmap
"""
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
    """

    def __init__(self, message: str, killed: bool) -> None:
        super().__init__(message)
        self.killed = killed


@dataclass(frozen=True)
class View:
    """An open view repository.

    head      full id of the commit it shows
    boundary  ids of commits whose parents a shallow clone left out
    """

    git: Git
    environment: dict[str, str]
    head: str
    boundary: frozenset[str]

    def output(self, command: str, *arguments: str, stdin: IO[bytes] | None = None) -> bytes:
        """All that `git <command>` writes.

        Raises GitFailed.
        """
        return b"".join(self.stream(command, *arguments, stdin=stdin))

    def have(self, names: Sequence[bytes]) -> list[bool]:
        """Whether each object is there, named in any way that has no line end: `<commit>:<path>`, say.

        Raises GitFailed.
        """
        if not names:
            return []
        with tempfile.TemporaryFile() as questions:
            questions.writelines(name + b"\n" for name in names)
            questions.seek(0)
            answers = self.output("cat_file", "--batch-check=%(objectname)", "--buffer", stdin=questions)
        return [not answer.endswith(b" missing") for answer in answers.split(b"\n")[:-1]]

    def stream(self, command: str, *arguments: str, stdin: IO[bytes] | None = None) -> Generator[bytes]:
        """What `git <command>` writes, in chunks as they come; closing the iterator ends the process.

        Raises GitFailed after the last chunk when git ended with an error.
        """
        complaint: list[bytes] = []
        with self.start(command, *arguments, stdin=stdin) as process:
            # Read aside: git would wait forever once the pipe of its warnings is full.
            listener = threading.Thread(target=_drain, args=(process.stderr, complaint), daemon=True)
            listener.start()
            try:
                while chunk := process.stdout.read1(_CHUNK):  # type: ignore[union-attr]  # both are pipes
                    yield chunk
                status = process.wait()
            finally:
                _end(process)
                listener.join()
        if status:
            lines = b"".join(complaint).decode("utf-8", "replace").splitlines()
            fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
            raise GitFailed((fatal or lines or [f"git {command} ended with status {status}"])[0], status < 0)

    @contextlib.contextmanager
    def start(
        self, command: str, *arguments: str, stdin: IO[bytes] | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:  # fmt: skip
        """The running process of `git <command>`; it is ended on leaving."""
        handle = getattr(self.git, command)(*arguments, as_process=True, env=self.environment, istream=stdin)
        process: subprocess.Popen[bytes] = handle.proc
        try:
            yield process
        finally:
            _end(process)
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()


@contextlib.contextmanager
def open_view(repository: Repository) -> Iterator[View]:
    """A view of `repository` at its HEAD, in a temporary folder that is removed on leaving.

    Raises NotReadable when there is no commit, or git is not installed.
    """
    head = resolve_head(repository)
    if not head:
        raise NotReadable(f"The repository at {repository.work_tree or repository.git_dir} has no commits yet.")
    try:
        from git import Git  # late: looks for the git program, and only histories need it
    except ImportError as problem:
        raise NotReadable("The program git was not found, so no history was read; install git.") from problem
    boundary = shallow_boundary(repository)
    with tempfile.TemporaryDirectory(prefix="cbvtool-", ignore_cleanup_errors=True) as folder:
        place, empty = Path(folder) / "view.git", Path(folder) / "empty"
        for part in (place / "objects" / "info", place / "refs", empty):
            part.mkdir(parents=True)
        sha256 = len(head) == 64
        _write(place / "config", _CONFIG.format(version=int(sha256)) + _SHA256 * sha256)
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
        yield View(Git(str(empty)), environment, head, boundary)


def _write(file: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape") + b"\n")


def _quoted(path: Path) -> str:
    """A path as a line of `objects/info/alternates`: C-quoted, since it may hold a line end or a quote."""
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(special.get(c, c) for c in path.as_posix()) + '"'


def _drain(stream: IO[bytes] | None, into: list[bytes]) -> None:
    if stream is not None:
        into.extend(stream)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End this one process, by its id, unless it has ended."""
    if process.poll() is None:
        process.kill()
        process.wait()
