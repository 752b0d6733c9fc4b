"""Files of untrusted folders: what is not a file is refused at once, whatever was put there meanwhile."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from cbvtool.config import text_of
from cbvtool.errors import InputError
from cbvtool.plan.document import must_be_unchanged
from cbvtool.regular_file import NotRegular, Unreadable, opened, read_bytes

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")


@posix
@pytest.mark.timeout(20)
def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    """A plain `open` would wait for somebody to write."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        with pytest.raises(NotRegular):
            opened(path)
        with pytest.raises(Unreadable, match="is not a regular file"):
            read_bytes(str(path), 10)


@posix
@pytest.mark.timeout(20)
def test_a_pipe_that_was_put_there_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was a file when the caller looked; when it is opened it is a pipe."""
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(Path, "is_file", lambda path: True)
    with pytest.raises(InputError, match="it is not a file"):
        text_of(tmp_path / "pipe")
    with pytest.raises(InputError, match="it is not a file"):
        must_be_unchanged(tmp_path / "pipe", "0" * 64)


@posix
def test_links_are_followed_where_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    with opened(tmp_path / "link") as file:
        assert file.read() == b"content"
    with pytest.raises(OSError, match="link"):
        opened(tmp_path / "link", follow=False)
    with pytest.raises(Unreadable):
        read_bytes(str(tmp_path / "link"), 100)
