"""`cbvtool compare-traces`: a gate that fails on a planted commit and names its hunk (TD-9, TD-14)."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from cbvtool.budget import Budget
from cbvtool.cli import main
from cbvtool.errors import InputError
from cbvtool.formats.replaceable import check_output
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.store.folder import write_folder
from tests.test_cli_schemas import SCHEMAS

SHOP = """\
def price(item):
    return len(item)


def total(items):
    return sum(map(price, items))


def unused():
    return 1


print(total(["a", "bb"]))
"""
PLANTED = SHOP.replace("sum(map(price, items))", "sum(price(item) for _ in range(3) for item in items)").replace(
    "return 1", "return 2"
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of two commits, and a run of each: `before`, `after`."""
    root = tmp_path_factory.mktemp("gate")
    for name, text in (("before", SHOP), ("after", PLANTED)):
        (root / "shop.py").write_text(text)
        for command in (["init", "-q"], ["add", "shop.py"], ["commit", "-q", "-m", name]):
            git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *command]
            subprocess.run(git, cwd=root, check=True, capture_output=True)
        record = [
            sys.executable,
            "-m",
            "cbvtool",
            "trace",
            "record",
            "-o",
            str(root / name),
            "--",
            sys.executable,
            "-B",
        ]
        subprocess.run([*record, "shop.py"], cwd=root, check=True, capture_output=True)
    return root


def test_a_planted_commit_fails_and_its_hunk_is_named(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = str(recorded / "before"), str(recorded / "after")
    assert main(["compare-traces", before, before]) == 0
    assert "no deviation" in capsys.readouterr().out
    status = main(["compare-traces", before, after, "--repository", str(recorded), "--format", "json"])
    assert status == 1
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMAS["compare-traces"], cls=jsonschema.Draft202012Validator)
    found = {one["function"]: one for one in told["deviations"]}
    assert (found["price"]["kind"], found["price"]["reference"], found["price"]["test"]) == ("more-calls", 2, 6)
    assert found["price"]["cause"] == "caller's code"
    assert found["price"]["changed"] == "total"
    assert found["price"]["hunk"] == {"file": "shop.py", "old": 6, "old_count": 1, "new": 6, "new_count": 1}
    assert [one["function"] for one in told["never_ran"]] == ["unused"]


def test_each_call_path_by_itself(recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-13: named from the outermost caller on; a baseline of paths accepts no function as a whole."""
    compare = ["compare-traces", str(recorded / "before"), str(recorded / "after")]
    assert main([*compare, "--by", "path", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMAS["compare-traces"], cls=jsonschema.Draft202012Validator)
    found = {tuple(one["path"][-3:]): (one["reference"], one["test"]) for one in told["deviations"]}
    assert found["<module>", "total", "price"] == (2, 0)  # `map` has no frame of its own, the generator has
    assert found["total", "total.<locals>.<genexpr>", "price"] == (0, 6)
    accepted = ["--baseline", str(tmp_path / "accepted.json")]
    assert main([*compare, "--by", "path", *accepted, "--update-baseline"]) == 0
    assert main([*compare, "--by", "path", *accepted]) == 0
    assert main([*compare, *accepted]) == 1
    capsys.readouterr()
    assert main([*compare, "--by", "path"]) == 1
    assert "> total > price (" in capsys.readouterr().out


def test_other_formats_and_the_baseline(recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = str(recorded / "before"), str(recorded / "after")
    compare = ["compare-traces", before, after, "--repository", str(recorded)]
    assert main(compare) == 1
    assert "price (" in (text := capsys.readouterr().out)
    assert "total above it was changed, shop.py:6" in text
    assert main([*compare, "--format", "markdown"]) == 1
    assert capsys.readouterr().out.startswith("### Compared: ")
    assert main([*compare, "--format", "sarif"]) == 1
    (result, *_) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("shop.py", 6)
    assert main([*compare, "--format", "junit"]) == 1
    assert ElementTree.fromstring(capsys.readouterr().out)[0].get("failures") != "0"
    accepted = ["--baseline", str(tmp_path / "accepted.json")]
    assert main([*compare, *accepted, "--update-baseline"]) == 0
    assert main([*compare, *accepted]) == 0
    assert main(["compare-traces", before, after, "--ignore", "*shop.py"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--slower", "often"], "no share"),
        (["--update-baseline"], "needs --baseline"),
        (["--repository", ".", "--commits", "nothing..here"], "no commit nothing"),
        (["--baseline", "shop.py"], "is no baseline"),
    ],
)
def test_bad_input_is_one_sentence(
    recorded: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(recorded)
    try:
        status = main(["compare-traces", "before", "after", *arguments])
    except SystemExit as ended:
        status = int(ended.code or 0)
    assert status == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("test", "said"), [("missing", "missing"), ("empty", "empty"), ("shop.py", "shop.py")])
def test_a_run_that_is_none_is_one_sentence(
    recorded: Path, test: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TD-9: a missing file, a folder without a run, a file that is no recording: status 2, and the file is named."""
    monkeypatch.chdir(recorded)
    (recorded / "empty").mkdir(exist_ok=True)
    try:
        status = main(["compare-traces", "before", test])
    except SystemExit as ended:
        status = int(ended.code or 0)
    told = capsys.readouterr().err.strip()
    assert status == 2
    assert said in told
    assert len(told.splitlines()) == 1


def written(path: Path, trace: Trace) -> str:
    write_folder(path, trace)
    return str(path)


def test_odd_runs_are_compared_all_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-9: only leaves, and 100,000 levels: a run beside itself does not deviate, one call more is a deviation."""

    def leaves(count: int) -> Trace:
        made = TraceBuilder("test", Budget("The trace"))
        for at in range(count):
            made.span(made.thread(1, 1), made.function("leaf", "app", "app.py", 1), 10 * at, 10 * at + 5)
        return made.trace(made.build(), {})

    made = TraceBuilder("test", Budget("The trace"))
    thread, function = made.thread(1, 1), made.function("again", "app", "app.py", 1)
    for level in range(100_000):
        made.begin(thread, function, level)
    for level in range(100_000):
        made.end(thread, 100_000 + level)
    deep = written(tmp_path / "deep", made.trace(made.build(), {}))
    one, more = written(tmp_path / "one", leaves(3)), written(tmp_path / "more", leaves(4))
    assert main(["compare-traces", one, one]) == 0
    assert main(["compare-traces", deep, deep]) == 0
    capsys.readouterr()
    assert main(["compare-traces", one, more]) == 1
    assert "leaf" in capsys.readouterr().out


LEAVES = 12
US = 1_000


def repeated(folder: Path, seed: int, runs: int = 8, **planted: Any) -> str:
    """A folder of runs of `main` and functions `leaf_N`, with thread CPU times that vary by 2 %; clocks vary by half.

    slow   leaf_5 takes so many times the CPU time
    wall   leaf_6 takes so many times the time by the clock
    calls  of leaf_3, in each run
    cpu    whether CPU times were recorded
    name   of leaf_5
    sampled  whether the runs were put together from samples
    """
    slow, wall, calls, cpu, name, sampled = (
        planted.get(key, usual)
        for key, usual in (
            ("slow", 1.0),
            ("wall", 1.0),
            ("calls", 2),
            ("cpu", True),
            ("name", "leaf_5"),
            ("sampled", False),
        )
    )
    random = np.random.default_rng(seed)
    folder.mkdir()
    for number in range(1, runs + 1):
        made = TraceBuilder("test", Budget("The trace"))
        thread, begin, used = made.thread(1, 1), 0, list[int]()
        made.begin(thread, made.function("main", "app", "/src/app.py", 1), 0)
        for leaf in range(LEAVES):
            function = made.function(name if leaf == 5 else f"leaf_{leaf}", "app", "/src/app.py", 10 * leaf + 2)
            for _ in range(calls if leaf == 3 else 2):
                cost = (1 + leaf % 4) * 100 * US
                used.append(int(cost * (slow if leaf == 5 else 1.0) * random.normal(1.0, 0.02)))
                clock = int(cost * 2 * (wall if leaf == 6 else 1.0) * random.uniform(0.98, 1.02))
                made.span(thread, function, begin, begin + clock)
                begin += clock
        made.end(thread, begin)
        if sampled:
            made.mark_sampled(thread)
        trace = made.trace(made.build(), {})
        if cpu:
            trace = replace(trace, calls=replace(trace.calls, cpu=np.array([sum(used), *used])))
        write_folder(folder / str(number), trace)
    return str(folder)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Status and JSON of a comparison; the JSON has what its schema says."""
    capsys.readouterr()
    status = main(["compare-traces", *arguments, "--format", "json"])
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMAS["compare-traces"], cls=jsonschema.Draft202012Validator)
    return status, content


def found(content: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["kind"], one["function"]) for one in content["deviations"]]


def test_folders_of_eight_runs_are_judged_by_their_processor_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TD-9, TD-13: thread CPU time first: what only the clock says counts for nothing where both are there."""
    before = repeated(tmp_path / "before", 1)
    status, content = told(capsys, before, repeated(tmp_path / "same", 2))
    assert (status, content["clock"], content["judged"], found(content)) == (0, "cpu", LEAVES, [])
    after = repeated(tmp_path / "after", 3, slow=1.2, wall=3.0)
    status, content = told(capsys, before, after)
    assert (status, found(content)) == (1, [("slower", "leaf_5")])
    (one,) = content["deviations"]
    assert one["low"] < 0.2 < one["high"]
    assert one["chance"] < 0.01
    assert {"kind", "function", "path", "reference", "test", "cause", "hunk"} <= one.keys()
    assert one["path"] == ["main", "leaf_5"]
    assert told(capsys, before, after, "--slower", "50%")[0] == 0
    assert told(capsys, before, after, "--min-time", "1s")[1]["judged"] == 0
    assert told(capsys, after, before)[0] == 0  # what became faster is no deviation
    without = (repeated(tmp_path / f"clock{n}", n, cpu=False, wall=wall) for n, wall in ((4, 1.0), (5, 3.0)))
    status, content = told(capsys, *without)
    assert (status, content["clock"], found(content)) == (1, "wall", [("slower", "leaf_6")])


def test_a_function_must_take_some_time_to_be_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-9: --min-time; leaf_5 takes 0.4 ms by itself, two other leaves of four times 0.8 ms."""
    before, after = repeated(tmp_path / "before", 1), repeated(tmp_path / "after", 3, slow=1.3)
    assert [told(capsys, before, after, "--min-time", time)[0] for time in ("100us", "700us")] == [1, 0]
    assert told(capsys, before, after, "--min-time", "700us")[1]["judged"] == LEAVES / 4


def test_seven_runs_are_too_few_for_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-13: from eight a side; changed numbers of calls are found all the same."""
    before, after = repeated(tmp_path / "before", 1, 7), repeated(tmp_path / "after", 3, slow=3.0, calls=4)
    status, content = told(capsys, before, after)
    assert (status, content["judged"], found(content)) == (1, 0, [("more-calls", "leaf_3")])
    assert "Times are judged from 8 runs a side; here are 7 and 8" in content["notes"][0]


def test_a_baseline_accepts_a_slower_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-9: what is accepted is no deviation; what comes later is one."""
    before, after = repeated(tmp_path / "before", 1), repeated(tmp_path / "after", 3, slow=1.3)
    later = repeated(tmp_path / "later", 4, slow=1.3, calls=4)
    accepted = ["--baseline", str(tmp_path / "accepted.json")]
    assert told(capsys, before, after, *accepted, "--update-baseline")[0] == 0
    status, content = told(capsys, before, after, *accepted)
    assert (status, content["accepted"], found(content)) == (0, 1, [])
    status, content = told(capsys, before, later, *accepted)
    assert (status, content["accepted"]) == (1, 1)
    assert found(content) == [("slower", "leaf_3"), ("more-calls", "leaf_3")]


@pytest.mark.parametrize("sampled_side", [0, 1])
def test_samples_beside_a_recording_are_refused(
    sampled_side: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TD-9: their number is no number of calls."""
    sides = [repeated(tmp_path / f"side{n}", n, 1, sampled=n == sampled_side) for n in (0, 1)]
    assert main(["compare-traces", *sides]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "put together from samples" in line


def test_a_table_of_functions_pairs_what_was_renamed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-12: --functions; without it one vanished and another one appeared. Names that mean nothing are said."""
    before, after = repeated(tmp_path / "before", 1, 1), repeated(tmp_path / "after", 2, 1, name="renamed")
    status, content = told(capsys, before, after)
    assert (status, sorted(found(content))) == (1, [("appeared", "renamed"), ("vanished", "leaf_5")])
    table = tmp_path / "names.csv"
    table.write_text("reference,test\napp.py::leaf_5,renamed\nnobody,leaf_1\n")
    status, content = told(capsys, before, after, "--functions", str(table))
    assert (status, found(content)) == (0, [])
    assert content["notes"][0] == f"nobody, in {table}, means no function that ran."
    table.write_text("leaf_5,renamed\n")
    assert main(["compare-traces", before, after, "--functions", str(table)]) == 2
    assert "names.csv, line 1: a table of functions has the columns" in capsys.readouterr().err
    assert main(["compare-traces", before, after, "--functions", str(tmp_path / "none")]) == 2
    assert "none is no table of functions" in capsys.readouterr().err


def test_the_input_is_the_cause_where_the_old_code_does_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TD-14: four folders: the new code is slower on both inputs, the new input makes more calls with both codes."""
    groups: list[dict[str, Any]] = [{}, {"slow": 1.3, "calls": 4}, {"slow": 1.3}, {"calls": 4}]
    old, both, code, input_ = (repeated(tmp_path / str(n), n, **planted) for n, planted in enumerate(groups))
    status, content = told(capsys, old, both, "--new-code", code, "--new-input", input_)
    assert status == 1
    rows = {one["function"]: one for one in content["deviations"]}
    assert rows.keys() == {"leaf_5", "leaf_3"}
    assert (rows["leaf_5"]["crossed"]["caused_by"], rows["leaf_5"]["cause"]) == ("code", "unknown")
    assert (rows["leaf_3"]["crossed"]["caused_by"], rows["leaf_3"]["cause"]) == ("input", "input")
    assert (rows["leaf_3"]["crossed"]["new_code"], rows["leaf_3"]["crossed"]["new_input"]) == (2, 4)
    assert main(["compare-traces", old, both, "--new-code", code, "--new-input", input_]) == 1
    said = capsys.readouterr().out
    assert "2 to 4 calls; the input: the old code does so, too" in said
    assert "the new code alone does so" in said
    assert main(["compare-traces", old, both, "--new-code", code]) == 2
    assert "go together" in capsys.readouterr().err


@pytest.mark.parametrize(
    "begin",
    ["Compared: 1", "### Compared: 1", '{\n "format": "cbvtool-compare-traces"', '<?xml version="1.0"?>\n<testsuites>'],
)
def test_an_older_comparison_is_replaced_and_nothing_else(begin: str, tmp_path: Path) -> None:
    """TD-9: -o may name the result of an earlier run."""
    older = tmp_path / "older"
    older.write_text(begin)
    check_output(older, tmp_path, "comparison")
    older.write_text("my notes")
    with pytest.raises(InputError, match="holds no comparison"):
        check_output(older, tmp_path, "comparison")
