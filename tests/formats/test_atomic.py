"""Files are written completely or not at all (design 8)."""

import ast
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.formats import atomic
from cbvtool.formats.atomic import replacing

if sys.platform != "win32":
    import fcntl

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions, links and pipes")


def test_nothing_is_seen_before_the_end(tmp_path: Path) -> None:
    """Atomic: until the block ends, the old content stands."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """Atomic: whatever goes wrong, no half file and no litter."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with pytest.raises(KeyError, match="no such key"), replacing(path) as file:
        file.write({b"new": b"new"}[b"no such key"])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["no/such/folder/out", "folder", "x" * 300])
def test_what_cannot_be_written_is_one_sentence(tmp_path: Path, name: str) -> None:
    """One sentence naming the thing and the reason."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"cannot be written: .*\.$"), replacing(tmp_path / name) as file:
        file.write(b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@posix
def test_permissions_stay(tmp_path: Path) -> None:
    """A file keeps its permissions; a new one gets those of any new file."""
    path, fresh, usual = tmp_path / "out", tmp_path / "fresh", tmp_path / "usual"
    path.touch()
    path.chmod(0o640)
    usual.touch()
    for one in (path, fresh):
        with replacing(one) as file:
            file.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert fresh.stat().st_mode == usual.stat().st_mode


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What a symbolic link points to is replaced, not the link."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@posix
@pytest.mark.parametrize("sort", ["pipe", "socket", "device", "folder"])
@pytest.mark.timeout(30)
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, sort: str) -> None:
    """Nobody waits for a reader of a pipe, least of all the window; nothing of that sort is replaced by a file."""
    target = Path("/dev/zero") if sort == "device" else tmp_path / "target"
    if sort == "pipe":
        os.mkfifo(target)
    elif sort == "socket":
        bound = socket.socket(socket.AF_UNIX)
        bound.bind(str(target))
        bound.close()
    elif sort == "folder":
        target.mkdir()
    link = tmp_path / "link"
    link.symlink_to(target)
    before = target.stat().st_mode
    for path in (target, link):
        with pytest.raises(InputError, match=f"cannot be written: it is a {sort}, not a file"), replacing(path) as file:
            file.write(b"new")
    assert target.stat().st_mode == before


@posix
def test_what_the_process_was_given_is_written_to(tmp_path: Path) -> None:
    """`-o /dev/stdout` and `-o >(program)`: a pipe that is open already is no reason to wait."""
    code = (
        "import sys; from pathlib import Path; from cbvtool.formats.atomic import replacing\n"
        "for path in sys.argv[1:]:\n    with replacing(Path(path)) as file: file.write(b'new')"
    )
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, "/dev/stdout", "/dev/null", f"/dev/fd/{writing}"],
            capture_output=True,
            pass_fds=[writing],
            env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
            timeout=60,
        )
    finally:
        os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read() == b"new"
    assert (done.returncode, done.stdout, done.stderr) == (0, b"new", b"")


@pytest.mark.parametrize("letter", ["漢", "😀", "n"])
def test_the_longest_names_can_be_saved(tmp_path: Path, letter: str) -> None:
    """A name may have 255 bytes: what is temporary has a name of its own."""
    path = tmp_path / (letter * (240 // len(letter.encode())) + "." + "x" * 14)
    for content in (b"old", b"new"):
        with replacing(path) as file:
            file.write(content)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_owner_and_group_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever saves as the administrator does not take the file away from its owner."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
        path.chmod(0o4750)
        with replacing(path) as file:
            file.write(b"new")
        found = path.stat()
        assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o4750)
    else:  # only the administrator may give a file away: that no other can is no failure
        asked: list[tuple[int, int]] = []
        before = os.stat_result((*path.stat()[:4], 12345, 23456, *path.stat()[6:]))

        def refuse(file: Path, owner: int, group: int) -> None:
            asked.append((owner, group))
            raise PermissionError

        monkeypatch.setattr(atomic.os, "chown", refuse)
        atomic._keep_rights(path, before)
        assert asked == [(12345, -1), (-1, 23456)]


@posix
def test_other_hard_links_keep_what_they_had(tmp_path: Path) -> None:
    """Decided so (docs/decisions/saving.md): a copy made of links, such as a backup, is not changed by saving."""
    path, backup = tmp_path / "out", tmp_path / "backup"
    path.write_bytes(b"old")
    os.link(path, backup)
    with replacing(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), backup.read_bytes()) == (b"new", b"old")


@posix
def test_file_and_folder_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The content before the renaming, the folder after it: else a power cut may leave an empty file, or the old."""
    seen: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def syncing(number: int) -> None:
        seen.append("folder" if stat.S_ISDIR(os.fstat(number).st_mode) else "file")
        fsync(number)

    def renaming(path: Path, target: Path) -> Path:
        seen.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(Path, "replace", renaming)
    with replacing(tmp_path / "out") as file:
        file.write(b"new")
    assert seen == ["file", "rename", "folder"]


# -- what killed processes leave behind ------------------------------------------------------------------------------


@posix
def test_only_own_files_of_the_dead_are_removed(tmp_path: Path) -> None:
    """The name alone is not enough: a file that a living process writes stays, and so does all that is no file."""
    dead, alive = (tmp_path / f".cbvtool-{digit * 16}.part" for digit in "ab")
    folder, pipe, link = (tmp_path / f".cbvtool-{digit * 16}.part" for digit in "cde")
    other = [tmp_path / name for name in (".cbvtool-1.part", ".plan.cbv.part", f"cbvtool-{'a' * 16}.part", "a.part")]
    for file in (dead, alive, *other):
        file.write_bytes(b"content")
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to(other[0])
    with alive.open("r+b") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        with replacing(tmp_path / "out") as out:
            out.write(b"new")
    assert set(tmp_path.iterdir()) == {tmp_path / "out", alive, folder, pipe, link, *other}


@posix
def test_two_at_once_do_not_remove_each_others_files(tmp_path: Path) -> None:
    """A save inside a save, into one folder: both files are there in the end."""
    with replacing(tmp_path / "a") as first:
        first.write(b"a")
        with replacing(tmp_path / "b") as second:
            second.write(b"b")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"a", "b": b"b"}


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from cbvtool.formats.atomic import replacing
folder, times = Path(sys.argv[1]), int(sys.argv[2])
target, chance = folder / "plan.cbv", random.Random(int(sys.argv[3]))
contents = [bytes([letter]) * size for letter, size in ((97, 1), (98, 70_000), (99, 1_000_000))]
target.write_bytes(contents[0])
left = 0
for _ in range(times):
    child = os.fork()
    if not child:
        while True:
            with replacing(target) as file:
                content = contents[os.getpid() % 3]
                for begin in range(0, len(content), 50_000):
                    file.write(content[begin : begin + 50_000])
    time.sleep(chance.uniform(0.0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert target.read_bytes() in contents, "damaged"
    left += len(list(folder.iterdir())) > 1
with replacing(target) as file:
    file.write(contents[0])
assert list(folder.iterdir()) == [target], list(folder.iterdir())
assert target.read_bytes() == contents[0]
print(left)
"""


@posix
def test_killed_while_saving(tmp_path: Path) -> None:
    """120 processes are killed while they save: the file is always one that was saved, and the next save tidies up."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), "120", "7"],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.stderr == ""
    assert int(done.stdout) > 0, "no process was killed while it wrote: the test tests nothing"


# -- one place that saves --------------------------------------------------------------------------------------------

# What writes to a file and may: each has a reason. (file, what is called) -> why.
MAY_WRITE = {
    ("formats/atomic.py", "open"): "the one place that saves",
    ("formats/atomic.py", "replace"): "the one place that saves",
    ("analysis/dividing.py", "open"): "hands facts to worker processes in a temporary folder",
    ("mining/versions.py", "open"): "lays a version out in a temporary folder",
    ("mining/versions.py", "symlink"): "the same",
    ("mining/versions.py", "write_bytes"): "the same",
    ("mining/scratch.py", "open"): "the lock that becomes a new reference, as git does it",
    ("mining/scratch.py", "link"): "the same: fails where the name is taken meanwhile",
    (
        "mining/scratch.py",
        "write_bytes",
    ): "objects of git, beside their place; what fast-import reads, in a temporary folder",
    ("mining/scratch.py", "replace"): "an object of git, whole, comes to its place",
    ("mining/view_repository.py", "write_bytes"): "makes a temporary repository",
    ("mining/view_repository.py", "TemporaryFile"): "questions to git, without a name",
    ("cli/streams.py", "open"): "the null device takes the place of closed standard streams",
    ("trace/making/event_store.py", "TemporaryFile"): "events of traces that are larger than memory, without a name",
    ("plan/process_lock.py", "open"): "makes lock files, which hold nothing",
    ("plan/recovery.py", "replace"): "gives a recovery copy, complete as it is, to another window",
    ("analysis/languages/c/clang.py", "open"): "silences libclang: the null device takes the place of stderr",
}
_WRITING_METHODS = {"write_text", "write_bytes", "TemporaryFile", "NamedTemporaryFile", "mkstemp", "QSaveFile", "QFile"}
_MOVES = {"rename", "renames", "link", "symlink", "copy", "copy2", "copyfile", "copytree", "move"}

_NAMES_ONE = re.compile(
    rf"\b({'|'.join([*_WRITING_METHODS, *_MOVES, 'open', 'fdopen', 'GzipFile', 'ZipFile'])})\b|\.\s*replace\b"
)


def writes(source: str) -> set[str]:
    """What a module calls to write to a file by its name: `open`, `write_text`, `replace`, ..."""
    found: set[str] = set()
    if not _NAMES_ONE.search(source):  # to parse all files takes seconds
        return found
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of = getattr(getattr(node.func, "value", None), "id", "")
        by_name = isinstance(node.func, ast.Name) or of in ("os", "io", "gzip", "bz2", "lzma", "codecs")
        given = [*node.args[by_name : by_name + 1], *(word.value for word in node.keywords if word.arg == "mode")]
        modes = [mode.value for mode in given if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
        if name in ("open", "fdopen", "GzipFile", "ZipFile") and (
            any(set(mode) & set("wax+") for mode in modes) or _flags(node) & {"O_WRONLY", "O_RDWR", "O_CREAT"}
        ):
            handed = any(word.arg == "fileobj" for word in node.keywords)
            found |= set() if handed else {"open"}
            continue
        moves = of in ("os", "shutil") and name in _MOVES
        replaces = name == "replace" and (of == "os" or (of != "self" and len(node.args) == 1 and not node.keywords))
        if name in _WRITING_METHODS or moves or replaces:
            found.add(name)
    return found


def _flags(node: ast.Call) -> set[str]:
    return {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def offenders(source: Path) -> set[tuple[str, str]]:
    """(file, call) of all that writes below the folder `source` and is not excused."""
    return {
        (str(file.relative_to(source).as_posix()), call)
        for file in source.rglob("*.py")
        for call in writes(file.read_text(encoding="utf-8"))
    } - MAY_WRITE.keys()


def test_nothing_else_opens_a_file_for_writing() -> None:
    """All saving goes through `replacing`. Who needs an exception writes it into MAY_WRITE, with its reason."""
    assert offenders(ROOT / "src" / "cbvtool") == set()


@pytest.mark.parametrize(
    ("planted", "call"),
    [
        ("open('a', 'w')", "open"),
        ("path.open('xb')", "open"),
        ("path.open(mode='r+')", "open"),
        ("os.open(a, os.O_WRONLY | os.O_CREAT)", "open"),
        ("gzip.open(path, 'wt')", "open"),
        ("path.write_text('a')", "write_text"),
        ("Path('a').write_bytes(b'')", "write_bytes"),
        ("os.replace(a, b)", "replace"),
        ("temporary.replace(target)", "replace"),
        ("shutil.move(a, b)", "move"),
        ("tempfile.NamedTemporaryFile()", "NamedTemporaryFile"),
        ("QSaveFile(name)", "QSaveFile"),
    ],
)
def test_a_planted_writer_is_seen(tmp_path: Path, planted: str, call: str) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "new.py").write_text(f"def save():\n    {planted}\n")
    assert offenders(tmp_path) == {("room/new.py", call)}


def test_reading_is_not_taken_for_writing() -> None:
    code = "open('a')\npath.open('rb')\n'a'.replace('a', 'b')\nos.open(a, os.O_RDONLY)\nreplace(view, name=1)"
    assert writes(code) == set()
