"""Compilation databases: what is believed of them, and that neither they nor libclang do harm."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from cbvtool.analysis import analyze
from cbvtool.analysis.attended import attended
from cbvtool.analysis.languages.c import clang as c_clang
from cbvtool.analysis.languages.c import commands as c_commands
from cbvtool.analysis.languages.c.commands import Unit, find_database, read_database
from cbvtool.errors import Cancelled
from cbvtool.graph import Graph


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def unit_of(name: str) -> Unit:
    return Unit(name, (), (), (), ())


def database(root: Path, *entries: dict[str, Any], place: str = "compile_commands.json") -> str:
    write(root, {place: json.dumps(entries)})
    return str(root / place)


def edges(graph: Graph) -> dict[tuple[str, str], str]:
    found = graph.edges
    return {
        (graph.ids[found.source[i]], graph.ids[found.target[i]]): ("exact", "resolved", "guess")[found.confidence[i]]
        for i in range(len(found))
        if found.kind_names[found.kind[i]] == "include"
    }


def test_only_harmless_flags_are_kept(tmp_path: Path) -> None:
    """Plugins, response files and files outside the root never reach libclang."""
    place = database(
        tmp_path,
        {
            "directory": str(tmp_path),
            "file": "a.c",
            "arguments": [
                "/usr/bin/evil",
                "-fplugin=x.so",
                "-Xclang",
                "-load",
                "-Xclang",
                "x.so",
                "@flags",
                "-B/tmp",
                "-wrapper",
                "sh",
                "--sysroot=/",
                "-include",
                "/etc/passwd",
                "-include",
                "pre.h",
                "-imacros",
                "../out.h",
                "-I",
                "inc",
                "-I/usr/inc",
                "-iquote",
                "q",
                "-isystem",
                "sys",
                "-idirafter",
                "..",
                "-DA=1",
                "-D",
                "B",
                "-UC",
                "-std=c99",
                "-x",
                "c",
                "-fmodules-cache-path=/tmp/x",
                "-o",
                "a.o",
                "-MF",
                "a.d",
                "-Iinc",
                "a.c",
            ],
        },
    )
    (unit,) = read_database(place, str(tmp_path), {"a.c"}.__contains__)
    assert unit == Unit("a.c", ("q",), ("inc", "sys"), ("pre.h",), ("-DA=1", "-DB", "-UC", "-std=c99", "-x", "c"))
    told = c_clang.flags_of(unit, str(tmp_path))
    assert not [flag for flag in told if flag.startswith("/") and not flag.startswith(str(tmp_path))]
    assert "x.so" not in " ".join(told)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[1, null, {}]",
        "{}",
        '[{"directory": 1}]',
        "[" * 100_000,
        '[{"directory": "/", "file": "a.c", "command": "\'"}]',
    ],
)
def test_a_broken_database_is_a_note(tmp_path: Path, content: str) -> None:
    write(tmp_path, {"a.c": '#include "a.h"\n', "a.h": "", "compile_commands.json": content})
    graph = analyze(tmp_path, jobs=1)
    assert ("a.c", "a.h") in edges(graph)
    assert any(note.startswith("compile_commands.json is not used: ") for note in graph.report.notes)


def test_a_database_in_an_ignored_build_folder_is_found(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "build*/\n", "a.c": "", "build-x/other": ""})
    place = database(tmp_path, place="build-x/compile_commands.json")
    assert find_database(str(tmp_path)) == place


def test_a_link_is_no_database(tmp_path: Path) -> None:
    """No path leaves the root."""
    root = tmp_path / "root"
    write(tmp_path, {"root/a.c": "", "elsewhere/compile_commands.json": "[]"})
    (root / "build").symlink_to(tmp_path / "elsewhere")
    (root / "compile_commands.json").symlink_to(tmp_path / "elsewhere" / "compile_commands.json")
    assert find_database(str(root)) is None


def test_libclang_takes_the_branch_that_is_true(tmp_path: Path) -> None:
    """With a compilation database, includes through libclang: macros of the command line decide."""
    write(
        tmp_path,
        {
            "a.c": "#include NAME\n#if WIDE\n#include <wide.h>\n#else\n#include <narrow.h>\n#endif\n",
            "one/chosen.h": "",
            "one/wide.h": "",
            "one/narrow.h": "",
            "two/narrow.h": "",
            "one/chosen2.h": "",
        },
    )
    database(
        tmp_path, {"directory": str(tmp_path), "file": "a.c", "command": "cc -Ione -DWIDE=1 '-DNAME=<chosen.h>' -c a.c"}
    )
    found = edges(analyze(tmp_path, jobs=1))
    assert found == {
        ("a.c", "one/chosen.h"): "exact",
        ("a.c", "one/wide.h"): "exact",
        ("a.c", "one/narrow.h"): "resolved",
    }


def test_without_libclang_the_paths_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"src/a.c": "#include <n.h>\n", "one/n.h": "", "two/n.h": '#include "m.h"\n', "two/m.h": ""})
    database(tmp_path, {"directory": str(tmp_path), "file": "src/a.c", "arguments": ["cc", "-Itwo", "src/a.c"]})
    monkeypatch.setattr(c_clang, "available", lambda: False)
    assert edges(analyze(tmp_path, jobs=1)) == {("src/a.c", "two/n.h"): "exact", ("two/n.h", "two/m.h"): "exact"}


def test_a_unit_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """libclang reads what the source names; a device that has no end costs one process, and no other unit."""
    monkeypatch.setattr(c_clang, "_SECONDS", 1.0)
    write(tmp_path, {"bad.c": '#include "/dev/zero"\n', "good.c": '#include "good.h"\n', "good.h": ""})
    units = [Unit(name, (), (), (), ()) for name in ("bad.c", "good.c")]
    assert list(c_clang.inclusions(str(tmp_path), units))[1] == [("good.c", 1, "good.h")]


def test_the_size_of_a_database_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_commands, "_LIMIT", 10)
    with pytest.raises(ValueError, match="is larger than"):
        read_database(database(tmp_path, {"directory": "x"}), str(tmp_path), lambda path: True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_cost_no_time(tmp_path: Path) -> None:
    """A pipe is no unit; one that is included costs one process, and no other unit."""
    os.mkfifo(tmp_path / "pipe.c")
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "good.h").write_text("int x;\n")
    (tmp_path / "good.c").write_text('#include "good.h"\n')
    (tmp_path / "waits.c").write_text('#include "pipe.h"\n')
    units = [unit_of("pipe.c")] * 20 + [unit_of("waits.c"), unit_of("good.c")]
    expected = [None] * 21 + [[("good.c", 1, "good.h")]]
    assert list(c_clang.inclusions(str(tmp_path), units)) == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_cancel_while_libclang_waits(tmp_path: Path) -> None:
    """Who stops the analysis does not wait for a unit, and no process is left."""
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "waits.c").write_text('#include "pipe.h"\n')
    looks: list[int] = []

    def stop() -> None:
        looks.append(1)
        if multiprocessing.active_children():
            raise Cancelled

    with pytest.raises(Cancelled):
        attended(lambda: list(c_clang.inclusions(str(tmp_path), [unit_of("waits.c")] * 50)), stop, 1000)
    assert multiprocessing.active_children() == []
