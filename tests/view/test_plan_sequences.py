"""Random sequences of plans and kills (`make random-plans` runs 100), and faults they notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from cbvtool.plan import recovery
from cbvtool.plan.recovery import key_of, list_copies
from cbvtool.project import Project
from cbvtool.session import Start, document_file
from cbvtool.session.opening import SubjectOpening
from cbvtool.view.commands.unsaved import Unsaved
from tests.view.plan_sequences import Lost, run


@pytest.mark.long
@pytest.mark.usefixtures("qapp")
def test_nothing_is_lost_without_a_question(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    for seed in (12, 16):
        (tmp_path / str(seed)).mkdir()
        counted += run(tmp_path / str(seed), seed, steps=25)
    assert counted["operations"] > 10
    assert counted["kill"]


def one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """All windows write one copy, as they did once."""
    monkeypatch.setattr(recovery, "name_of_copy", lambda opened, window, number: f"plan-{key_of(opened)}.cbv")


def no_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saving looks at nothing on the disk."""
    monkeypatch.setattr(document_file, "must_be_unchanged", lambda file, digest: None)


def saved_by_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    """F5 declares that everything is saved."""
    deepen = SubjectOpening.deepen

    def forgetful(self: SubjectOpening, project: Project, start: Start | None = None) -> None:
        deepen(self, project, start)
        self._file._saved = self._file.content

    monkeypatch.setattr(SubjectOpening, "deepen", forgetful)


def cleared_by_stage_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has nothing unsaved removes what is offered."""
    keep = Unsaved.keep

    def tidy(self: Unsaved) -> None:
        opened = self._opened()
        keep(self)
        if opened is not None and not self._session.unsaved:
            for copy in list_copies():
                if copy.named.key == key_of(opened):
                    copy.path.unlink(missing_ok=True)

    monkeypatch.setattr(Unsaved, "keep", tidy)


@pytest.mark.soak
@pytest.mark.parametrize("fault", [one_name, no_comparison, saved_by_analysis, cleared_by_stage_two])
@pytest.mark.usefixtures("qapp")
def test_a_loss_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[pytest.MonkeyPatch], None]
) -> None:
    """Each mend of this item, taken back."""
    fault(monkeypatch)

    def many() -> None:
        for seed in range(100, 130):
            (tmp_path / str(seed)).mkdir()
            run(tmp_path / str(seed), seed, steps=40)

    with pytest.raises(Lost, match=r"(?s)(lost|not offered): \[.*the steps:"):
        many()
