"""`cbvtool compare-traces`: a gate that fails on a planted commit and names its hunk (TD-9, TD-14)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
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


def test_td_12_a_table_pairs_functions_that_have_another_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TD-12: `--same FILE`; without it one appeared and one vanished."""
    for name, function in (("old", "price"), ("new", "cost")):
        made = TraceBuilder("test", Budget("The trace"))
        thread = made.thread(1, 1)
        made.span(thread, made.function("main", "m", "/src/m.py", 1), 0, 100)
        made.span(thread, made.function(function, "m", "/src/m.py", 9), 10, 20)
        write_folder(tmp_path / name, made.trace(made.build(), {}))
    said = ["compare-traces", str(tmp_path / "old"), str(tmp_path / "new"), "--format", "json"]
    assert main(said) == 1
    kinds = {one["kind"] for one in json.loads(capsys.readouterr().out)["deviations"]}
    assert kinds == {"appeared", "vanished"}
    (tmp_path / "same.txt").write_text("price, cost\n")
    assert main([*said, "--same", str(tmp_path / "same.txt")]) == 0
    (tmp_path / "same.txt").write_text("price\n")
    assert main([*said, "--same", str(tmp_path / "same.txt")]) == 2
    assert "Line 1 of the table of functions" in capsys.readouterr().err
