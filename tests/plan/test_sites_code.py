"""The code of a folder, as the search for sites reads it: only what is as it was analysed, and never from outside."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from cbvtool.errors import Cancelled
from cbvtool.plan import Group, History, Move
from cbvtool.plan.sites.files import ProjectCode, folder_code
from cbvtool.plan.sites.text import CodeText
from cbvtool.plan.tasks import task_list
from cbvtool.progress import stoppable
from cbvtool.project import open_project
from tests.plan.coded import Coded

FILES = {"pk/__init__.py": "", "pk/a.py": "A = 1\n", "use.py": "from pk.a import A\n", "b/__init__.py": ""}


def test_a_file_that_changed_is_not_read(tmp_path: Path) -> None:
    """Its lines would be others: the relations, which know the old lines, say what they can."""
    project = Coded(tmp_path, FILES)
    assert project.told(Move(("pk/a.py",), "b")) == ["must import use.py:1"]
    (tmp_path / "use.py").write_text("# new\n\nfrom pk.a import A\n")
    assert list(folder_code(tmp_path, project.graph).lines("use.py")) == []
    assert project.told(Move(("pk/a.py",), "b")) == ["must import use.py:1"]
    (tmp_path / "use.py").write_text("from pk.a import B\n")  # of the same size
    os.utime(tmp_path / "use.py", (time.time() + 100, time.time() + 100))
    assert list(folder_code(tmp_path, project.graph, since=time.time()).lines("use.py")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    """Neither a link that took the place of a file, nor a folder that became one, nor a path that leads up."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.py").write_text("A = 1\n")
    project = Coded(tmp_path / "it", FILES)
    code = folder_code(tmp_path / "it", project.graph)
    assert list(code.lines("pk/a.py")) == ["A = 1"]
    assert list(code.lines("../secret/a.py")) == []
    (tmp_path / "it" / "pk" / "a.py").unlink()
    (tmp_path / "it" / "pk" / "a.py").symlink_to(tmp_path / "secret" / "a.py")
    assert list(code.lines("pk/a.py")) == []
    (tmp_path / "it" / "pk" / "a.py").unlink()
    (tmp_path / "it" / "pk" / "__init__.py").unlink()
    (tmp_path / "it" / "pk").rmdir()
    (tmp_path / "it" / "pk").symlink_to(tmp_path / "secret")
    assert list(folder_code(tmp_path / "it", project.graph).lines("pk/a.py")) == []


def test_a_word_is_found_as_a_whole() -> None:
    """Dotted, slashed, in any encoding and with any line ends; not in parts of words, binary files and data."""
    texts = {
        "a.md": b"pk.a and pk.ab\r\nxpk.a\r\nsee src/pk/a.py: pk.a, pk.a\r\n",
        "latin.txt": "pk.a für alle".encode("latin-1"),
        "b.bin": b"pk.a",
        "c.txt": b"pk.a\0",
        "large.txt": b"pk.a" * 1_000_000,
    }
    code = ProjectCode({path: len(data) for path, data in texts.items()}, lambda path, limit: texts[path])
    found = [(mention.file, mention.line, mention.word) for mention in code.mentions(["pk.a", "pk/a.py"])]
    assert sorted(found) == [("a.md", 1, "pk.a"), ("a.md", 3, "pk.a"), ("a.md", 3, "pk/a.py"), ("latin.txt", 1, "pk.a")]
    words = ["pk.a", *(f"other.word{number}" for number in range(20))]  # many words are looked for in another way
    again = ProjectCode({path: len(data) for path, data in texts.items()}, lambda path, limit: texts[path])
    assert [mention.line for mention in again.mentions(words) if mention.file == "a.md"] == [1, 3]


def test_a_search_can_be_cancelled() -> None:
    """At every file, and what was not found is looked for again the next time."""
    files = [f"{number}.txt" for number in range(100)]
    read: list[str] = []

    def content(path: str, limit: int) -> bytes:
        read.append(path)
        assert limit > 0
        return b"word"

    def stop() -> None:
        if len(read) == 10:
            raise Cancelled

    code = ProjectCode(dict.fromkeys(files, 4.0), content)
    with stoppable(stop), pytest.raises(Cancelled):
        list(code.mentions(["word"]))
    assert len(read) == 10
    assert len(list(code.mentions(["word"]))) == 100


def test_comments_and_strings_are_blanked() -> None:
    """Lines and columns stay; what is inserted into an f-string is code; a digit's separator opens no string."""
    text = CodeText("a.py", ['x = f("a", f"{g} {{h}}")  # i', '"""', "j", '"""', "k = 'l'"])
    assert [line.split() for line in text.code] == [["x", "=", "f(", ",", "f", "g", ")"], [], [], [], ["k", "="]]
    assert [len(line) for line in text.code] == [len(line) for line in text.lines]
    assert text.bare[0].rstrip() == 'x = f("a", f"{g} {{h}}")'
    text = CodeText("a.cc", ["int a = 1'000; // b", "char c = '\"', *d = R\"(", 'e)"; f /* g', "h */ i"])
    words = [line.split() for line in text.code]
    assert words == [["int", "a", "=", "1'000;"], ["char", "c", "=", ",", "*d", "="], [";", "f"], ["i"]]


def test_the_code_of_a_project(tmp_path: Path) -> None:
    """Of a folder its files, of a saved graph none."""
    Coded(tmp_path / "it", FILES)
    project = open_project(tmp_path / "it", history=False, jobs=1, cache=False)
    assert list(project.code.lines("use.py")) == ["from pk.a import A"]
    assert project.code is project.code


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """Of twenty pages that name a module three are listed; the task says how many are not."""
    pages = {f"docs/page{number}.md": "Call `pk.deep.mod` first.\n" for number in range(20)}
    project = Coded(tmp_path, {"pk/__init__.py": "", "pk/deep/__init__.py": "", "pk/deep/mod.py": "x = 1\n", **pages})
    history = History(project.graph, (Group("", (Move(("pk/deep/mod.py",), "pk"),)),))
    (task,) = task_list(history, None, project.code).tasks
    assert len(task.check) == 3
    assert sum(site.more for site in task.sites) == 17
    assert task.notes == ("17 more places to check are not listed: search for the name.",)
    assert task.steps[0].notes == task.notes
