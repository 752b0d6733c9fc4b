"""Roles of users' own functions, named in `cbvtool.toml`: added, bounded, and one sentence where they are wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cbvtool.cli import DONE, FAILED, main
from cbvtool.errors import InputError
from cbvtool.plan.document import TraceFile
from cbvtool.session.traces.files import Imported, knowing_own_roles
from cbvtool.trace.making.roles import Role
from cbvtool.trace.store.folder import write_folder
from cbvtool.trace.waits import own_roles
from cbvtool.trace.waits.own_roles import configured_roles
from tests.trace.waits.test_by_name import HEAD, run

ROWS = "python,shop.Gate.enter,gate,gate,waits,\npython,shop.Gate.open,gate,gate,releases,\n"
MANY = "".join(f",f{number},1,m,waits,\n" for number in range(own_roles.MOST_FUNCTIONS + 1))


def project(root: Path, toml: str, rows: str | bytes = ROWS) -> Path:
    (root / "cbvtool.toml").write_text(toml)
    text = HEAD.encode() + rows.encode() if isinstance(rows, str) else rows
    (root / "roles.csv").write_bytes(text)
    return root


def test_own_functions_are_added_to_a_recording(tmp_path: Path) -> None:  # ST-2
    trace = run([(1, "shop.Gate.enter", 10, 40, {"gate": "7"}), (2, "shop.Gate.open", 30, 31, {"gate": "7"})])
    found = Imported(TraceFile(Path("run"), "chrome", "", 0, 0), (trace,))
    assert knowing_own_roles(found, None) is found
    root = project(tmp_path, '[traces]\nroles = "roles.csv"\nodd = 1\n')
    known = knowing_own_roles(found, root)
    assert len(known.traces[0].table("waits")) == len(known.traces[0].table("releases")) == 1
    assert known.notes == (f"{root / 'cbvtool.toml'}: traces.odd is not known here and is ignored.",)
    roles, _ = configured_roles(root)
    assert roles["shop.Gate.open"] == (Role("gate", "gate", "releases", "python"),)
    (root / "cbvtool.toml").write_text("[rules]\n")
    assert configured_roles(root) == ({}, ())
    assert knowing_own_roles(found, root).traces == found.traces


@pytest.mark.parametrize(
    ("toml", "rows", "says"),
    [
        ('[traces]\nroles = "../roles.csv"\n', ROWS, "which is outside of the repository"),
        ('[traces]\nroles = "/etc/passwd"\n', ROWS, "which is outside of the repository"),
        ('[traces]\nroles = "link.csv"\n', ROWS, "which is outside of the repository"),
        ("[traces]\nroles = 3\n", ROWS, "traces.roles must be the path of a CSV file, not 3"),
        ('traces = "roles.csv"\n', ROWS, "must be a section"),
        ("[traces\n", ROWS, "is not valid TOML"),
        ('[traces]\nroles = "missing.csv"\n', ROWS, "missing.csv is no table of roles: cannot be read"),
        ('[traces]\nroles = "."\n', ROWS, "is no table of roles"),
        ('[traces]\nroles = "roles.csv"\n', "python,f,1,mutex,sleeps,\n", "line 2: a function waits"),
        ('[traces]\nroles = "roles.csv"\n', b"\xff\xfe", "is no table of roles"),
        ('[traces]\nroles = "roles.csv"\n', b"x" * (own_roles.MOST_BYTES + 1), "is larger than 1"),
        ('[traces]\nroles = "roles.csv"\n', MANY, "10,000 is the most"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_the_recording_stays(
    tmp_path: Path, toml: str, rows: str | bytes, says: str
) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (tmp_path / "roles.csv").write_text(HEAD + ROWS)
    os.symlink(tmp_path / "roles.csv", root / "link.csv")
    with pytest.raises(InputError, match=r".") as raised:
        configured_roles(project(root, toml, rows))
    sentence = str(raised.value)
    assert says in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    trace = run([(1, "shop.Gate.enter", 10, 40, {"gate": "7"})])
    found = knowing_own_roles(Imported(TraceFile(Path("run"), "chrome", "", 0, 0), (trace,)), root)
    assert found.notes == (sentence,)
    assert found.traces == (trace,)


def test_the_command_that_draws_takes_the_roles_of_the_code(
    tmp_path: Path, own_settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "code"
    root.mkdir()
    (root / "shop.py").write_text("class Gate:\n    pass\n")
    project(root, '[traces]\nroles = "roles.csv"\n')
    spans = [(1, "shop.Gate.enter", 10, 40, {"gate": "7"}), (2, "shop.Gate.open", 30, 31, {"gate": "7"})]
    write_folder(tmp_path / "run", run(spans))
    draw = ["trace", "render", "sync", str(tmp_path / "run"), "--part", "totals", "-o", "-", "--graph", str(root)]
    assert main(draw) == DONE
    assert "1" in capsys.readouterr().out.splitlines()[-1]
    project(root, '[traces]\nroles = "roles.csv"\n', "odd\n")
    assert main(draw) == FAILED
    assert "roles.csv is no table of roles: line 2" in capsys.readouterr().err
