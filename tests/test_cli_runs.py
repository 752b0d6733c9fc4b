"""`cbvtool runs`: many runs of a program beside each other (CF-1, CF-4, CF-8, CF-9)."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from cbvtool.cli import DONE, FAILED, FINDINGS, main
from tests.test_cli_schemas import SCHEMAS

Capture = pytest.CaptureFixture[str]
PATHS = ("main;solve", "main;solve;wait", "main;write")


def write_run(file: Path, *own: int) -> None:
    """Samples of three call paths, and of a fourth where there is one."""
    paths = (*PATHS, "main;log")[: len(own)]
    file.write_text("".join(f"{path} {value}\n" for path, value in zip(paths, own, strict=True) if value))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """12 runs: solving takes as long as there are threads few, `log` is called with one solver alone."""
    folder = tmp_path / "runs"
    folder.mkdir()
    rng = np.random.default_rng(1)
    rows = ["run,threads,solver,host"]
    for row in range(12):
        own = np.array([9000 - 500 * row, 1000, 2000]) + rng.integers(0, 20, 3)
        write_run(folder / f"run_{row}.folded", *own.tolist(), 300 if row % 2 else 0)
        rows.append(f"run_{row},{row + 1},{'lu' if row % 2 else 'cg'},host-{row}")
    (tmp_path / "runs.csv").write_text("\n".join(rows) + "\n")
    return folder


def said(capsys: Capture, schema: str, *arguments: str | Path) -> Any:
    assert main(["runs", *map(str, arguments), "--format", "json"]) == DONE
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMAS[schema], cls=jsonschema.Draft202012Validator)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "more": 1}, SCHEMAS[schema], cls=jsonschema.Draft202012Validator)
    return content


def test_info_lists_runs_with_parameters_roots_and_modules(runs: Path, capsys: Capture) -> None:
    """CF-1, CF-9: in the order of the numbers in their names."""
    content = said(capsys, "runs-info", "info", runs, "--parameters", runs.parent / "runs.csv", "--by", "function")
    assert [run["name"] for run in content["runs"]] == [f"run_{row}" for row in range(12)]
    first = content["runs"][0]
    assert first["parameters"] == {"threads": "1", "solver": "cg", "host": "host-0"}
    [root] = first["roots"]
    assert root["name"] == "main"
    assert root["exclusive"] == 0
    modules = {each["name"]: each for each in first["modules"]}
    assert set(modules) == {"main", "solve", "wait", "write"}  # `log` is missing, and not 0
    assert modules["main"]["inclusive"] == root["inclusive"] == sum(each["exclusive"] for each in modules.values())


@pytest.mark.parametrize("form", ["text", "markdown", "csv"])
def test_info_and_diff_are_tables_too(runs: Path, form: str, capsys: Capture) -> None:
    """CF-9: and -o replaces its own results alone."""
    target = runs.parent / f"out.{form.replace('markdown', 'md').replace('text', 'txt')}"
    explain = ["explain", runs, "--parameters", runs.parent / "runs.csv"]
    for arguments in (["info", runs], ["diff", runs / "run_0.folded", runs / "run_1.folded"], explain):
        for _ in range(2):
            assert main(["runs", *map(str, arguments), "--format", form, "-o", str(target)]) == DONE
        text = target.read_text()
        assert "main" in text
        if form == "csv":
            rows = list(csv.reader(io.StringIO(text)))
            assert len({len(row) for row in rows}) == 1
    target.write_text("something else")
    assert main(["runs", "info", str(runs), "--format", form, "-o", str(target)]) == FAILED
    assert "holds no table of runs" in capsys.readouterr().err


def test_diff_is_b_minus_a_and_repeats_tell_noise(tmp_path: Path, capsys: Capture) -> None:
    """CF-4, CF-8: what differs within the noise of repeats is named so."""
    rng = np.random.default_rng(2)
    for side, solve in (("a", 1000), ("b", 1300)):
        (tmp_path / side).mkdir()
        for number in range(1, 6):
            write_run(
                tmp_path / side / f"{number}.folded", *(np.array([solve, 500, 200]) + rng.integers(0, 30, 3)).tolist()
            )
    content = said(capsys, "runs-diff", "diff", tmp_path / "a", tmp_path / "b", "--by", "function")
    assert content["a"] == [f"a/{number}" for number in range(1, 6)]
    own = {row["module"]: row for row in content["own"]}
    assert own["solve"]["b_minus_a"] == pytest.approx(300, abs=30)
    assert own["solve"]["percent"] == pytest.approx(0.3, abs=0.03)
    assert (own["solve"]["noise"], own["write"]["noise"]) == (False, True)
    assert content["paths"][0]["path"] == "main > solve"
    single = said(capsys, "runs-diff", "diff", tmp_path / "a" / "1.folded", tmp_path / "b" / "1.folded")
    assert single["modules"][0]["noise"] is None
    assert single["notes"] == ["Noise is unknown: name folders of repeats for A and B."]


def test_explain_ranks_parameters_and_says_what_chance_can_do(runs: Path, capsys: Capture) -> None:
    """CF-8: a parameter that names single runs is none."""
    table = runs.parent / "runs.csv"
    content = said(capsys, "runs-explain", "explain", runs, "--parameters", table, "--by", "function")
    assert [each["name"] for each in content["parameters"]] == ["threads", "solver"]
    found = {(row["path"], row["parameter"]) for row in content["paths"] if row["chance"] <= 0.02}
    assert found == {("main > solve", "threads"), ("main > log", "solver")}
    [row] = (row for row in content["paths"] if (row["path"], row["parameter"]) == ("main > log", "solver"))
    assert (row["least_at"], row["most_at"], row["strength"]) == ("cg", "lu", 1.0)
    assert main(["runs", "explain", str(runs)]) == DONE
    assert "No parameter differs among the runs" in capsys.readouterr().out


def test_trend_orders_runs_and_tells_steps_and_breaks(tmp_path: Path, capsys: Capture) -> None:
    """CF-6, CF-8: commits in the order of the files, repeats are one position."""
    rng = np.random.default_rng(3)
    rows = ["run,commit"]
    for number in range(1, 41):
        level = 1.2 if number > 20 else 1.0
        write_run(
            tmp_path / f"{number}.folded", *(np.array([1000 * level, 500, 200]) + rng.integers(0, 20, 3)).astype(int)
        )
        rows.append(f"{tmp_path.name}/{number},c{(number - 1) // 2}")
    (tmp_path / "runs.csv").write_text("\n".join(rows) + "\n")
    arguments: list[str | Path] = [
        "trend",
        tmp_path,
        "--parameters",
        tmp_path / "runs.csv",
        "--along",
        "commit",
        "--by",
        "function",
    ]
    content = said(capsys, "runs-trend", *arguments)
    assert [row["value"] for row in content["order"]] == [f"c{number}" for number in range(20)]
    found = {(row["part"], row["kind"], row["at"]) for row in content["found"] if row["chance"] <= 0.02}
    assert found == {("(whole run)", "step", "c10"), ("solve", "step", "c10")}
    for form in ("text", "markdown", "csv"):
        assert main(["runs", *map(str, arguments), "--format", form]) == DONE
        assert "c10" in capsys.readouterr().out
    assert main(["runs", "trend", str(tmp_path), "--along", "commit"]) == FAILED
    assert "does not say its 'commit'" in capsys.readouterr().err


def test_similar_names_the_nearest_run_and_the_odd_one(tmp_path: Path, capsys: Capture) -> None:
    """CF-7, CF-9: one run of eight waits; a map and groups are made when asked for; too few runs hold no odd one."""
    rng = np.random.default_rng(5)
    for number in range(8):
        own = np.array([1000, 2000 if number == 5 else 100, 200]) + rng.integers(0, 20, 3)
        write_run(tmp_path / f"run_{number}.folded", *own.tolist())
    content = said(capsys, "runs-similar", "similar", tmp_path)
    assert [row["run"] for row in content["runs"] if row["odd"]] == ["run_5"] == [content["runs"][0]["run"]]
    for row in content["runs"]:
        assert row["nearest"] not in {None, row["run"], "run_5"}
        assert (row["distance"] > 0.3) == row["odd"]
        assert row["x"] is row["y"] is row["group"] is None
    assert content["notes"] == ["1 run of 8 unlike all others."]
    mapped = {row["run"]: row for row in said(capsys, "runs-similar", "similar", tmp_path, "--map")["runs"]}
    apart = {name: abs(row["x"] - mapped["run_5"]["x"]) for name, row in mapped.items() if name != "run_5"}
    assert min(apart.values()) > 0.3
    assert {name for name, row in mapped.items() if row["group"] != mapped["run_0"]["group"]} == {"run_5"}
    for form in ("text", "markdown", "csv"):
        for _ in range(2):  # its own result is replaced
            out = str(tmp_path.parent / f"similar.{form}")
            assert main(["runs", "similar", str(tmp_path), "--map", "--format", form, "-o", out]) == DONE
        assert "run_5" in Path(out).read_text().replace("\\", "")
    [alone] = said(capsys, "runs-similar", "similar", tmp_path / "run_0.folded")["runs"]
    assert alone["nearest"] is None
    assert not alone["odd"]


def test_bad_input_is_one_sentence(runs: Path, tmp_path: Path, capsys: Capture) -> None:
    """CF-1, CF-9: an unknown metric, a folder without runs, tables that are none, runs without a row."""
    empty = tmp_path / "empty"
    empty.mkdir()
    broken = tmp_path / "broken.csv"
    broken.write_text("run,a\nnobody,1\n")
    for arguments, words in (
        (["info", runs, "--metric", "joules"], "There is no metric 'joules'"),
        (["info", empty], "holds no profile or trace"),
        (["info", tmp_path / "missing"], "missing"),
        (["info", runs, "--table", broken], "no JSON"),
        (["info", runs, "--parameters", broken], "names no run that was read"),
        (["explain", runs, "--only", "threads"], "No run has a parameter 'threads'"),
    ):
        assert main(["runs", *map(str, arguments)]) == FAILED
        error = capsys.readouterr().err
        assert words in error
        assert error.count("\n") == 1
    (runs / "notes.txt").write_bytes(b"\0\1")
    assert main(["runs", "info", str(runs)]) == DONE
    assert "1 file left out" in capsys.readouterr().err


def test_check_fails_when_runs_take_more_beyond_noise(tmp_path: Path, capsys: Capture) -> None:
    """CF-9: a slower function and the call path of it; equal versions pass; SARIF and JUnit; repeats are needed."""
    rng = np.random.default_rng(4)
    for side, solve in (("old", 1000), ("same", 1000), ("slow", 1200)):
        (tmp_path / side).mkdir()
        for number in range(1, 7):
            own = np.array([solve, 500, 200]) + rng.integers(0, 30, 3)
            write_run(tmp_path / side / f"{number}.folded", *own.tolist())
    old, same, slow = (str(tmp_path / side) for side in ("old", "same", "slow"))
    assert said(capsys, "runs-check", "check", old, same)["regressions"] == []
    assert said(capsys, "runs-check", "check", slow, old)["regressions"] == []  # faster
    assert main(["runs", "check", old, slow, "--format", "json"]) == FINDINGS
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMAS["runs-check"], cls=jsonschema.Draft202012Validator)
    found = {row["kind"]: row for row in content["regressions"]}
    assert [row["name"] for row in content["regressions"]] == ["(whole run)", "solve", "main > solve"]
    assert found["path"]["percent"] == pytest.approx(0.2, abs=0.03)
    assert main(["runs", "check", old, slow, "--slower", "30%"]) == DONE
    assert "no regression beyond noise" in capsys.readouterr().out
    for form, words in (
        ("text", "3 regressions beyond noise"),
        ("markdown", "main > solve"),
        ("json", "chance"),
        ("sarif", "slower module"),
        ("junit", 'failures="3"'),
    ):
        assert main(["runs", "check", old, slow, "--format", form]) == FINDINGS
        assert words in capsys.readouterr().out
        for _ in range(2):  # its own result is replaced
            assert main(["runs", "check", old, slow, "--format", form, "-o", str(tmp_path / form)]) == FINDINGS
    assert main(["runs", "check", old, f"{slow}/1.folded"]) == FAILED
    assert "Noise is unknown" in capsys.readouterr().err
