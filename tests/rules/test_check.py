"""The gate (NEW-5): contracts of import-linter, baselines, and what is written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cbvtool.analysis import analyze
from cbvtool.cli import DONE, FAILED, FINDINGS, main
from cbvtool.errors import InputError
from cbvtool.rules.baseline import compare, entry_of, parse, to_text
from cbvtool.rules.contracts.checking import check_contracts
from cbvtool.rules.contracts.contract_file import read_contracts
from cbvtool.rules.promise import BrokenPromise, ChainLink

FILES = {
    "src/pkg/__init__.py": "",
    "src/pkg/high.py": "from pkg import middle\nimport json\n",
    "src/pkg/middle.py": "from pkg.low import deep\n\nimport pkg.high\n",
    "src/pkg/low/__init__.py": "from pkg.other import x\n",
    "src/pkg/low/deep.py": "def f():\n    from pkg import middle\n",
    "src/pkg/other.py": "x = 1\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg import high\n",
    "src/pkg/plain/loose.py": "from pkg import high\n",
    "src/pkg/uses.py": "from pkg.plain import loose\nimport numpy.linalg\n",
}
CONTRACTS = """
[importlinter]
root_package = pkg
include_external_packages = True

[importlinter:contract:1]
name = Layers
type = layers
layers =
    high
    middle
    (gone)
    low | other
containers = pkg

[importlinter:contract:2]
name = Forbidden
type = forbidden
source_modules =
    pkg.low
forbidden_modules =
    pkg.high
    numpy

[importlinter:contract:3]
name = Independent
type = independence
modules =
    pkg.low
    pkg.uses

[importlinter:contract:4]
name = Protected
type = protected
protected_modules = pkg.low.*
allowed_importers = pkg.high
ignore_imports = pkg.high -> pkg.middle

[importlinter:contract:5]
name = Acyclic
type = acyclic_siblings
ancestors = pkg
"""
# What import-linter itself finds, in a process of its own: (importer, imported, line).
THEIRS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from importlinter.configuration import configure
configure()
from importlinter.application.use_cases import read_user_options, _register_contract_types, create_report
options = read_user_options(sys.argv[2])
_register_contract_types(options)
report = create_report(options, cache_dir=None)
found = set()
def walk(value):
    if isinstance(value, dict):
        if {"importer", "imported", "line_numbers"} <= value.keys():
            found.update((value["importer"], value["imported"], line) for line in value["line_numbers"])
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            walk(each)
    if hasattr(value, "illegal_links"):
        walk(value.illegal_links)
for contract, check in report.get_contracts_and_checks():
    walk(check.metadata)
    for breakers in check.metadata.get("cycle_breakers_by_package", {}).values():
        for importer, imported in breakers:
            for each in report.graph.get_import_details(importer=importer, imported=imported):
                found.add((importer, imported, each["line_number"]))
print("FOUND" + json.dumps(sorted(found)))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "subject" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "subject" / name).write_text(text)
    (tmp_path / "subject" / ".importlinter").write_text(CONTRACTS)
    return tmp_path / "subject"


def test_the_same_as_import_linter(package: Path) -> None:
    """NEW-5: every type of contract, direct and indirect, with lines."""
    checked = check_contracts(analyze(package), read_contracts(package / ".importlinter"))
    ours = {(link.importer, link.imported, link.line) for one in checked.broken for link in one.chain}
    done = subprocess.run(
        [sys.executable, "-c", THEIRS, "src", ".importlinter"], cwd=package, capture_output=True, text=True, check=True
    )
    theirs = {tuple(row) for row in json.loads(done.stdout.partition("FOUND")[2])}
    assert ours == theirs
    assert {one.rule for one in checked.broken} >= {"Layers", "Forbidden", "Protected", "Acyclic"}
    assert ("pkg.low.deep", "pkg.middle", 2) in ours


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", "[tool.other]\n", "holds no settings of import-linter"),
        ("pyproject.toml", "[tool.importlinter]\nroot_package = ", "is not valid TOML"),
        (".importlinter", "no section", "is no configuration file"),
        (".importlinter", "[importlinter]\nroot_package = pkg\n", "holds no contracts"),
        (
            ".importlinter",
            "[importlinter]\n[importlinter:contract:1]\nname = a\ntype = layers\n",
            "names no root_package",
        ),
        (
            ".importlinter",
            "[importlinter]\nroot_package = pkg\ncontract_types =\n    mine: os.system\n"
            "[importlinter:contract:1]\ntype = mine\n",
            "are not run",
        ),
        (
            ".importlinter",
            "[importlinter]\nroot_package = pkg\n[importlinter:contract:1]\ntype = mine\n",
            "of the type mine",
        ),
        ("pyproject.toml", '[tool.importlinter]\nroot_package = "pkg"\ncontracts = 3\n', "must be a list of tables"),
        (
            "setup.cfg",
            "[importlinter]\nroot_package = pkg\ninclude_external_packages = perhaps\n"
            "[importlinter:contract:1]\ntype = layers\n",
            "must be true or false",
        ),
    ],
)
def test_a_contract_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, name: str, text: str, said: str) -> None:
    """NEW-5: also own types of contracts, which import-linter would run."""
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_contracts(tmp_path / name)


@pytest.mark.parametrize(
    ("contract", "said"),
    [
        ("type = layers\n", "layers: This is a required field"),
        ("type = layers\nlayers = a\ncolour = red\n", "colour: Unrecognized option"),
        ("type = forbidden\nsource_modules = pkg.none\nforbidden_modules = pkg.high\n", "pkg.none"),
        ("type = independence\nmodules = pkg.low\n    pkg.high\nignore_imports = a.b -> c.d\n", "a.b -> c.d"),
    ],
)
def test_a_contract_that_makes_no_sense_is_one_sentence(package: Path, contract: str, said: str) -> None:
    """NEW-5: import-linter's own words, with the name of the contract."""
    file = package / "setup.cfg"
    file.write_text(f"[importlinter]\nroot_package = pkg\n[importlinter:contract:1]\nname = Mine\n{contract}")
    with pytest.raises(InputError, match="contract 'Mine'") as raised:
        check_contracts(analyze(package), read_contracts(file))
    assert said in str(raised.value)


def test_a_package_that_is_not_there(package: Path) -> None:
    """NEW-5: said by name."""
    file = package / "setup.cfg"
    file.write_text(
        "[importlinter]\nroot_package = none\n[importlinter:contract:1]\nname = a\ntype = layers\nlayers = b\n"
    )
    with pytest.raises(InputError, match="no package none"):
        check_contracts(analyze(package), read_contracts(file))


# -- baseline ------------------------------------------------------------------------------------------------------


def broken(rule: str, source: str, target: str, line: int = 1) -> BrokenPromise:
    return BrokenPromise(rule, "deny", source, target, (ChainLink(source, target, source, line),))


def test_a_baseline_survives_shifted_lines_and_renames() -> None:
    """NEW-5: what was accepted stays accepted; another file with the same violation does not."""
    accepted = parse(to_text([broken("r", "a/x.py", "b/y.py"), broken("r", "a/w.py", "b/y.py")]), "base")
    there = {"a/x.py", "c/w.py", "b/y.py", "a/new.py"}
    now = [broken("r", "a/x.py", "b/y.py", 77), broken("r", "c/w.py", "b/y.py"), broken("r", "a/new.py", "b/y.py")]
    found = compare(now, accepted, there)
    # a/w.py is gone: a/new.py lies in its folder and c/w.py has its name, but only one of them can be it.
    assert len(found.fresh) == 1
    assert len(found.accepted) == 2
    assert not found.ended
    assert not compare(now[:1], accepted, there).fresh
    assert compare(now[:1], accepted, there).ended == (("r", "a/w.py", "b/y.py"),)
    assert compare([broken("other", "a/x.py", "b/y.py")], accepted, there).fresh
    assert entry_of(now[0]) == ("r", "a/x.py", "b/y.py")
    moved = [broken("r", "new/a/x.py", "new/b/y.py")]
    assert not compare(moved, parse(to_text(now[:1]), "base"), {"new/a/x.py", "new/b/y.py"}).fresh
    assert compare(moved, parse(to_text(now[:1]), "base"), {"new/a/x.py", "new/b/y.py", "b/y.py"}).fresh


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"format": "cbvtool-baseline"}',
        "[" * 100000,
        '{"format": "cbvtool-baseline", "version": 9, "accepted": []}',
        '{"format": "cbvtool-baseline", "version": 1, "accepted": [{"rule": 1}]}',
    ],
)
def test_a_baseline_that_is_none(text: str) -> None:
    """NEW-5: one sentence."""
    with pytest.raises(InputError, match="base"):
        parse(text, "base")


# -- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def subject(package: Path) -> Path:
    (package / "cbvtool.toml").write_text('[rules]\ndeny = [{from = "src/pkg/low", to = "src/pkg/middle.py"}]\n')
    return package


def test_the_gate_fails_on_new_violations_only(
    subject: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """NEW-5: 1 for new ones, 0 for none and for accepted ones."""
    base = tmp_path / "base.json"
    assert main(["check", str(subject)]) == FINDINGS
    assert capsys.readouterr().out == (
        "Check: 1 violation\n"
        "tangle 3, broken rules 1 (modules: packages of src/pkg)\n\n"
        "src/pkg/low must not use src/pkg/middle.py\n"
        "  src/pkg/low/deep.py -> src/pkg/middle.py (src/pkg/low/deep.py:2)\n"
    )
    assert main(["check", str(subject), "--baseline", str(base), "--update-baseline"]) == DONE
    assert main(["check", str(subject), "--baseline", str(base)]) == DONE
    assert "Check: no new violations, 1 accepted\n" in capsys.readouterr().out
    (subject / "src/pkg/low/more.py").write_text("from pkg import middle\n")
    (subject / "src/pkg/low/deep.py").write_text("\n\n\n\ndef f():\n    from pkg import middle\n")
    assert main(["check", str(subject), "--baseline", str(base), "--format", "json"]) == FINDINGS
    data = json.loads(capsys.readouterr().out)
    [one] = data["violations"]
    assert (one["source"], one["target"], one["sites"]) == (
        "src/pkg/low/more.py",
        "src/pkg/middle.py",
        [{"file": "src/pkg/low/more.py", "line": 1}],
    )
    assert one["chain"] == [
        {"importer": "src/pkg/low/more.py", "imported": "src/pkg/middle.py", "file": "src/pkg/low/more.py", "line": 1}
    ]
    assert data["accepted"] == 1


def test_what_cannot_be_checked_is_one_sentence(
    subject: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """NEW-5: status 2."""
    for arguments in (
        ["--update-baseline"],
        ["--baseline", str(tmp_path / "none.json")],
        ["--contracts", str(tmp_path / "none.cfg")],
    ):
        assert main(["check", str(subject), *arguments]) == FAILED
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "inside cbvtool" not in said
    (subject / "cbvtool.toml").unlink()
    assert main(["check", str(subject)]) == FAILED
    assert "states no rules" in capsys.readouterr().err


def test_contracts_in_other_formats(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-5: SARIF names each rule once and a place for each result; JUnit has a failing case for each rule."""
    contracts = ["--contracts", str(subject / ".importlinter")]
    assert main(["check", str(subject), *contracts, "--format", "sarif"]) == FINDINGS
    [run] = json.loads(capsys.readouterr().out)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("src/pkg/")
    assert main(["check", str(subject), *contracts, "--format", "junit"]) == FINDINGS
    [suite] = ElementTree.fromstring(capsys.readouterr().out.encode())
    assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure")) == len(rules)
