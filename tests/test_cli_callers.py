"""`cbvtool trace callers`, `cbvtool trace untested`, `cbvtool trace tests`: what they print, and how they fail."""

from __future__ import annotations

import cProfile
import csv
import io
import json
import pstats
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cbvtool.cli import DONE, FAILED, main
from cbvtool.trace.store.folder import write_folder
from tests.trace.handmade import MS, builder

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """main calls a.f three times, once recursively, and b.f once; g calls a.f."""
    made = builder()
    thread = made.thread(1, 1)
    functions = {
        name: made.function(name, "", file, line)
        for name, file, line in (("main", "m.py", 1), ("a.f", "a.py", 3), ("b.f", "b.py", 9), ("g", "m.py", 5))
    }
    spans = [("main", 0, 100), ("a.f", 10, 20), ("a.f", 30, 50), ("a.f", 35, 45), ("b.f", 60, 70), ("g", 80, 95)]
    for name, start, end in [*spans, ("a.f", 85, 90)]:
        made.span(thread, functions[name], start * MS, end * MS)
    write_folder(tmp_path / "run", made.trace(made.build()))
    return tmp_path / "run"


def output(capsys: Capture, *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == DONE
    return capsys.readouterr().out


def failure(capsys: Capture, *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == FAILED
    said = capsys.readouterr()
    assert not said.out
    assert len(said.err.splitlines()) == 1
    return said.err


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_function_without_a_line_is_named_by_its_file(tmp_path: Path, capsys: Capture) -> None:
    made = builder()
    thread = made.thread(1, 1)
    made.span(thread, made.function("crunch", "", "numbers.so", 0), 0, MS)
    write_folder(tmp_path / "run", made.trace(made.build()))
    assert "Callers and callees of crunch (numbers.so)\n" in output(
        capsys, "trace", "callers", tmp_path / "run", "crunch"
    )


def test_callers_and_callees_with_calls_total_and_self(run: Path, capsys: Capture) -> None:
    """Recursion counts once in the total of a pair, and is a pair of its own."""
    found = rows(output(capsys, "trace", "callers", run, "a.f", "--format", "csv"))
    told = {(row["relation"], row["name"]): (row["count"], row["total_ns"], row["self_ns"]) for row in found}
    ms = {key: (int(count), int(total) // MS, int(own) // MS) for key, (count, total, own) in told.items()}
    assert ms == {
        ("itself", "a.f"): (4, 35, 35),
        ("caller", "main"): (2, 30, 20),
        ("caller", "a.f"): (1, 10, 10),
        ("caller", "g"): (1, 5, 5),
        ("callee", "a.f"): (1, 10, 10),
    }
    said = json.loads(output(capsys, "trace", "callers", run, "main", "--format", "json"))
    assert said["format"] == "cbvtool-callers"
    assert [each["name"] for each in said["callees"]] == ["a.f", "g", "b.f"]
    assert said["callers"] == []
    text = output(capsys, "trace", "callers", run, "g")
    assert "Called by" in text
    assert "a.f (a.py:3)" in text
    assert "15 ms" in text


def test_a_name_that_means_several_lists_them(run: Path, capsys: Capture) -> None:
    said = failure(capsys, "trace", "callers", run, "f")
    assert "a.f (a.py:3)" in said
    assert "b.f (b.py:9)" in said
    assert "itself,b.f" in output(capsys, "trace", "callers", run, "b.py:9", "--format", "csv")
    assert "called nothing" in failure(capsys, "trace", "callers", run, "nothing")


def test_a_window_restricts_it(run: Path, capsys: Capture) -> None:
    found = rows(output(capsys, "trace", "callers", run, "a.f", "--format", "csv", "--window", "80ms.."))
    assert [(row["relation"], row["name"], row["count"]) for row in found][:2] == [
        ("itself", "a.f", "1"),
        ("caller", "g", "1"),
    ]


def test_results_replace_results_alone(run: Path, capsys: Capture, tmp_path: Path) -> None:
    for format in ("text", "csv", "json"):
        out = tmp_path / f"out.{format}"
        for _ in range(2):
            output(capsys, "trace", "callers", run, "g", "--format", format, "-o", out)
    (tmp_path / "mine.py").write_text("print(1)\n")
    assert "holds no table of callers" in failure(capsys, "trace", "callers", run, "g", "-o", tmp_path / "mine.py")


def test_pairs_are_those_of_pstats(tmp_path: Path, capsys: Capture) -> None:
    def low(n: int) -> int:
        return n and low(n - 1)

    def high() -> None:
        for n in range(5):
            low(n)

    profiler = cProfile.Profile()
    profiler.runcall(high)
    profiler.dump_stats(tmp_path / "run.pstats")
    stats: dict[Any, Any] = pstats.Stats(str(tmp_path / "run.pstats")).stats  # type: ignore[attr-defined]
    key = next(key for key in stats if key[2] == "low")
    expected = Counter({(file, line): value[0] for (file, line, _), value in stats[key][4].items()})
    found = rows(output(capsys, "trace", "callers", tmp_path / "run.pstats", "low", "--format", "csv"))
    callers = Counter({(r["file"], int(r["line"])): int(r["count"]) for r in found if r["relation"] == "caller"})
    assert callers == expected


def test_untested_files_are_ranked(tmp_path: Path, capsys: Capture) -> None:
    """NEW-14: complexity x commits x what no run reached; without a history every file counts once."""
    code = tmp_path / "code"
    code.mkdir()
    branchy = "def f(x):\n" + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(6)) + "    return 0\n"
    (code / "run.py").write_text(branchy)
    (code / "never.py").write_text(branchy.replace("f(x)", "g(x)"))
    (code / "simple.py").write_text("def h():\n    return 1\n")
    (code / "test_it.py").write_text(branchy)
    made = builder()
    made.span(made.thread(1, 1), made.function("f", "", str(code / "run.py"), 1), 0, MS)
    write_folder(tmp_path / "run", made.trace(made.build()))
    found = rows(output(capsys, "trace", "untested", tmp_path / "run", code, "--format", "csv"))
    assert [row["path"] for row in found] == ["never.py", "simple.py"]
    assert float(found[0]["worth"]) > float(found[1]["worth"])
    assert (found[0]["commits"], found[0]["covered"]) == ("", "0.0")
    report = tmp_path / "lcov.info"
    report.write_text(f"TN:\nSF:{code}/never.py\nDA:2,1\nDA:3,0\nend_of_record\n")
    said = json.loads(output(capsys, "trace", "untested", report, code, "--format", "json", "--limit", "5"))
    assert said["format"] == "cbvtool-untested"
    assert {row["path"]: row["covered"] for row in said["files"]}["never.py"] == 0.5
    text = output(capsys, "trace", "untested", tmp_path / "run", code, "--limit", "1", "-o", "-")
    assert text.split("\n")[0].split() == ["Worth", "Complexity", "Commits", "Not", "run", "File"]
    assert text.count("\n") == 2
    assert "cannot be read" in failure(capsys, "trace", "untested", tmp_path / "none", code)


def test_tests_are_listed_by_the_files_that_they_reach(tmp_path: Path, capsys: Capture) -> None:
    """NEW-14: a test counts with all that is called below it; files that hold tests are left out."""
    code = tmp_path / "code"
    code.mkdir()
    (code / "shop.py").write_text("def price():\n    return 1\n")
    (code / "test_shop.py").write_text("def test_price():\n    pass\n\n\ndef helper():\n    pass\n")
    made = builder()
    thread = made.thread(1, 1)
    price = made.function("price", "", str(code / "shop.py"), 1)
    test, helper = (
        made.function(name, "", str(code / "test_shop.py"), line) for name, line in (("test_price", 1), ("helper", 5))
    )
    for function, start, end in ((test, 0, 90), (helper, 10, 40), (price, 15, 20), (price, 50, 60), (price, 95, 99)):
        made.span(thread, function, start * MS, end * MS)
    write_folder(tmp_path / "run", made.trace(made.build()))
    asked = ("trace", "tests", tmp_path / "run", code)
    reached = {"path": "shop.py", "test": "test_shop.py::test_price", "calls": "2"}
    assert rows(output(capsys, *asked, "--format", "csv")) == [reached]
    said = json.loads(output(capsys, *asked, "--format", "json"))
    assert said == {"format": "cbvtool-tests", "reached": [reached | {"calls": 2}]}
    assert output(capsys, *asked) == "shop.py: reached by 1 test\n  test_shop.py::test_price (2 calls)\n"
    report = tmp_path / "lcov.info"
    report.write_text(f"TN:\nSF:{code}/shop.py\nDA:2,1\nend_of_record\n")
    assert "is no trace" in failure(capsys, "trace", "tests", report, code)
