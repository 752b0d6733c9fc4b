"""A rule that names nothing guards nothing (NEW-5, P10): an error for the gate, red in the panel, told elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.analysis import analyze
from cbvtool.cli import DONE, FAILED, main
from cbvtool.plan import Group, History, Remove
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.rules import parse_rules
from cbvtool.rules.violations import judged_rules
from tests.mining.conftest import Repository

FILES = {
    "core/__init__.py": "",
    "core/money.py": "class Money:\n    pass\n",
    "web/__init__.py": "",
    "web/page.py": "from core import money\n\nprint(money)\n",
    "data/unread.xyz": "Money\n",
}
GOOD = 'layers = ["web", "core"]\n'


def table(kind: str, **names: str) -> str:
    rows = "".join(f"{key.rstrip('_')} = {value}\n" for key, value in names.items())
    return f'[[rules.rule]]\nkind = "{kind}"\n{rows}'


# (rules, the name that means nothing, a word of the rule that is told)
TYPOS = {
    "layers": ('layers = ["web", "cores"]\n', "cores", "layers, highest first: web > cores"),
    "deny": ('deny = [{from = "core", to = "wep"}]\n', "wep", "core must not use wep"),
    "deny, class": ('deny = [{from = "core/money.py::Mony", to = "web"}]\n', "core/money.py::Mony", "must not use web"),
    "forbidden": (table("forbidden", name='"Apart"', from_='"core"', to='"wep/**"'), "wep/**", "Apart"),
    "allowed": (table("allowed", from_='"core"', to='"re:^utl/"'), "re:^utl/", "core may use only"),
    "independence": (table("independence", modules='["core", "webb"]'), "webb", "independent of one another"),
    "acyclic": (table("acyclic", within='"srcs"'), "srcs", "no cycles side by side"),
    "protected": (table("protected", modules='"core"', users='"wep"'), "wep", "core"),
    "interface": (table("interface", modules='"core"', public='"core/api.py"'), "core/api.py", "core"),
    "layers, stated": (table("layers", layers='[["web", "webb"], "core"]'), "webb", "layers"),
    "class": (table("forbidden", from_='"core/money.py::Mony"', to='"web"'), "core/money.py::Mony", "must not use"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "subject" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "subject" / name).write_text(text)
    return tmp_path / "subject"


@pytest.mark.parametrize("name", TYPOS)
def test_a_typing_error_fails_the_gate(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """P10: status 2 and one sentence with rule and pattern, whatever is asked for; nothing is written."""
    rules, wrong, rule = TYPOS[name]
    (folder / "cbvtool.toml").write_text(f"[rules]\n{rules}")
    accepted = folder.parent / "baseline.json"
    for more in ([], ["--format", "json"], ["--baseline", str(accepted), "--update-baseline"]):
        assert main(["check", str(folder), "--no-cache", "--jobs", "1", *more]) == FAILED
        out, said = capsys.readouterr()
        last = said.strip().splitlines()[-1]
        assert f"names {wrong}, which is not there: mend it in cbvtool.toml" in last
        assert rule in last
        assert not out
    assert not accepted.exists()


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ('deny = [{from = "core", to = "external:numpy"}]\n', "external:numpy"),
        (table("forbidden", from_='"core"', to='["web", "external:sqlite3"]'), "external:sqlite3"),
        ('deny = [{from = "data/unread.xyz::Money", to = "web"}]\n', "data/unread.xyz::Money"),
    ],
)
def test_what_the_analysis_cannot_know_is_told(
    folder: Path, rules: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package outside that nobody uses is not there, as it should be; what an unread file holds is not known."""
    (folder / "cbvtool.toml").write_text(f"[rules]\n{rules}")
    assert main(["check", str(folder), "--no-cache", "--jobs", "1"]) == DONE
    assert f"names {said}, which is not there." in capsys.readouterr().err


def test_two_typing_errors_are_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "cbvtool.toml").write_text('[rules]\nlayers = ["webb", "cores", "core"]\n')
    assert main(["check", str(folder), "--no-cache", "--jobs", "1"]) == FAILED
    assert "webb, which is not there (and 1 other name in the rules): mend" in capsys.readouterr().err


def test_a_plan_that_takes_away_what_a_rule_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The plan is the version that is judged, not the code as it is."""
    (folder / "cbvtool.toml").write_text(f"[rules]\n{GOOD}")
    graph = analyze(folder)
    file = folder.parent / "plan.cbv"
    for steps, status in (((), DONE), ((Remove(("web",)),), FAILED)):
        groups = tuple(Group("take it away", (step,)) for step in steps)
        write_document(Document(folder, "subject", "", (Plan.of(History(graph, groups)),)), file)
        assert main(["check", str(file), "--no-cache", "--jobs", "1"]) == status
    assert "names web, which is not there" in capsys.readouterr().err


def test_an_older_version_is_told_of_not_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """P10: in `diff` and `evolution` the rules of today may name what was not there then."""
    made = Repository(tmp_path / "subject")
    made.commit({"core/a.py": "a = 1\n"})
    made.commit({"web/b.py": "from core import a\n", "cbvtool.toml": f"[rules]\n{GOOD}"})
    assert main(["diff", "HEAD~1", "HEAD", str(made.root), "--no-cache", "--jobs", "1"]) == DONE
    assert "In HEAD~1: The rule “layers, highest first: web > core” names web, which is not there." in (
        capsys.readouterr().err
    )
    assert main(["evolution", str(made.root), "--no-cache", "--jobs", "1"]) == DONE
    assert "names web, which is not there." in capsys.readouterr().err


def test_judging_finds_unmatched_names_beside_violations(folder: Path) -> None:
    """The panel reads both from one judgement."""
    rules = parse_rules('[rules]\nlayers = ["core", "web", "wep"]\ndeny = [{from = "core", to = "external:numpy"}]\n')
    judged = judged_rules(analyze(folder), rules)
    assert [one.name for one in judged.unmatched] == ["wep", "external:numpy"]
    assert [one.is_fault for one in judged.unmatched] == [True, False]
    assert len(judged.violations) == 1
