"""Files are written completely or not at all (DESIGN 8; issue, bad input: nothing overwritten)."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing

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
    """Issue: one sentence naming the thing and the reason."""
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
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    """`-o /dev/stdout` and the like must never be replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as file:
        file.write(b"new")
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
