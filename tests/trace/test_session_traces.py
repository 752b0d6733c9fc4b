"""Traces in the open document: values and relations follow a window of time (CBV-12, TR-3)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.drawing.emphasis import relation_lines
from cbvtool.errors import InputError
from cbvtool.geometry.overlay.furniture import tooltip_lines
from cbvtool.geometry.state.view_state import RelationFilter
from cbvtool.graph.kinds import RUN_TIME_CALL, of_kinds
from cbvtool.metrics import Subject
from cbvtool.metrics.run_time import CALLS, COVERAGE, NO_CODE, SELF_TIME, TOTAL_TIME, run_time_metrics
from cbvtool.plan.document import TraceFile, read_document, write_document
from cbvtool.progress import silent
from cbvtool.project import Project
from cbvtool.rules import Rules, read_rules
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.session.follower import SecondSession
from cbvtool.session.traces import files
from cbvtool.session.traces.rows import function_rows, lost_functions, rare_calls
from cbvtool.session.traces.traces import seen_by
from cbvtool.session.traces.words import facts, mapped, sentences, title
from cbvtool.trace.coverage.where_to_test import where_to_test
from cbvtool.trace.model.focus import Focus
from tests.trace.handmade import MS, builder, imported
from tests.trace.shop_run import CHECKOUT, ELSEWHERE, FROM_CART, MAIN, NOW, TOTAL, shop_run


@pytest.fixture
def session(shop: Project) -> Session:
    """With the run open, and everything found out."""
    session = Session()
    session.rules = read_rules(shop.path)
    session.open(shop)
    session.traces.add(imported(shop_run(session.graph)))
    session.traces.settle()
    return session


def value(session: Session, metric: str, node: str) -> float:
    return float(session.scene().values[metric][session.graph.key_of[node]])


def look(session: Session, first: int, last: int) -> None:
    session.traces.look_at(replace(session.traces.focus, window=(first * MS, last * MS)))
    session.traces.settle()


def test_calls_and_times_are_metrics_while_a_trace_is_open(session: Session) -> None:
    """CBV-12: frequency, self and total time beside the other metrics; not without a trace."""
    assert value(session, CALLS, TOTAL) == 4
    assert value(session, SELF_TIME, FROM_CART) == (2 * (200 - 100 - 10)) * MS
    assert value(session, TOTAL_TIME, CHECKOUT) == 600 * MS
    assert value(session, TOTAL_TIME, "shop/services") == 600 * MS  # of a container: nothing counts twice
    assert session.scene().values.metrics[SELF_TIME].show(35_200_000) == "35.2 ms"
    session.traces.close()
    assert CALLS not in session.metrics
    assert not of_kinds(session.graph.edges, (RUN_TIME_CALL,)).any()


def test_zero_and_unknown_are_told_apart(session: Session) -> None:
    """A function that was not called has 0 calls; a file of another language has no value at all."""
    assert value(session, CALLS, "shop/services/stock.py::take") == 0
    python = seen_by(session.planned, session.traces.opened[0].laid.map)
    other = replace(session.planned, files=tuple(f"{name}.js" for name in session.planned.files))
    assert python[session.graph.key_of[TOTAL]]
    metric = run_time_metrics(session.state.overlay.run_time, None, seen=np.zeros(len(other), np.bool_))[CALLS]
    assert np.isnan(metric.compute(Subject(other))).all()
    assert metric.show(float("nan")) == NO_CODE != metric.show(0)


def test_a_tooltip_tells_calls_and_time_with_their_units(session: Session) -> None:
    """Absolute values, whatever is shown; a function that was not called, and one that nobody can know of."""
    session.set_view(expanded=frozenset(np.flatnonzero(np.diff(session.graph.tree.child_ptr) > 0).tolist()))

    def said(node: str) -> list[str]:
        scene = session.scene()
        item = int(np.flatnonzero((scene.tree.key == session.graph.key_of[node]) & ~scene.tree.slot)[0])
        return [line for line in tooltip_lines(scene, item) if line.startswith("At run time")]

    assert said(TOTAL) == ["At run time: 4 calls, 235 ms of its own"]
    assert said("shop/services/stock.py::take") == ["At run time: not called in this window of time"]
    session.traces.rekey()
    assert said(TOTAL) == ["At run time: being measured"]
    session.traces.close()
    assert said(TOTAL) == []


def test_a_window_restricts_values_and_relations(session: Session) -> None:
    """CBV-12: calls that overlap the window count, their time is clipped."""
    look(session, 0, 300)
    assert value(session, CALLS, CHECKOUT) == 1
    assert value(session, TOTAL_TIME, CHECKOUT) == 200 * MS
    assert value(session, CALLS, MAIN) == 1
    graph = session.graph
    rows = np.flatnonzero(of_kinds(graph.edges, (RUN_TIME_CALL,)))
    pairs = {(graph.ids[graph.edges.source[row]], graph.ids[graph.edges.target[row]]) for row in rows}
    assert pairs == {(MAIN, CHECKOUT), (CHECKOUT, FROM_CART), (FROM_CART, TOTAL), (FROM_CART, NOW), (TOTAL, NOW)}
    look(session, 650, 660)
    assert value(session, CALLS, NOW) == 0


def test_threads_restrict_values(session: Session) -> None:
    session.traces.look_at(Focus(0, None, frozenset({1})))
    session.traces.settle()
    assert value(session, CALLS, TOTAL) == 2
    assert value(session, CALLS, MAIN) == 0


def test_relations_are_drawn_by_calls_or_time(session: Session) -> None:
    """CBV-12: call cost per pair becomes thickness."""
    session.show_files()
    session.map("thickness", "calls")
    thick = session.scene().thickness
    assert (thick.least, thick.most) == (1, 2)
    scene = session.scene()
    tips = [relation_lines(scene, row) for row in range(len(scene.lifted.source))]
    assert any("2 calls at run time, 600 ms" in lines for lines in tips)
    session.map("thickness", "time")
    assert session.scene().thickness.most == pytest.approx(600)  # ms
    session.map("thickness", "weight")
    static = session.scene().thickness
    session.traces.close()
    assert session.scene().thickness.most == static.most  # calls do not count as weight


def test_what_is_seen_only_at_run_time_or_only_in_the_source_is_shown_alone(session: Session) -> None:
    """CBV-12: `total` calls `now` at run time, which the source does not say; `place_order` never called `take`."""
    graph = session.graph
    session.set_view(filter=RelationFilter(evidence="run"))
    scene = session.scene()
    ends = {(graph.ids[s], graph.ids[t]) for s, t in _shown(scene)}
    assert (TOTAL, NOW) in ends
    assert (FROM_CART, TOTAL) not in ends
    session.set_view(filter=RelationFilter(evidence="source"))
    ends = {(graph.ids[s], graph.ids[t]) for s, t in _shown(session.scene())}
    assert (CHECKOUT, "shop/services/stock.py::take") in ends
    assert (FROM_CART, TOTAL) not in ends


def _shown(scene) -> list[tuple[int, int]]:
    rows = np.flatnonzero(scene.relations)
    return list(zip(scene.graph.edges.source[rows].tolist(), scene.graph.edges.target[rows].tolist(), strict=True))


def test_rules_skip_run_time_calls_until_they_are_applied(session: Session) -> None:
    """TR-3: a switch applies rules to run-time calls; calls over a layer are listed."""
    graph = session.graph
    session.rules = Rules(("shop/infrastructure/clock.py", "shop/ui", "shop/domain/discount.py", "shop/services"))
    assert session.traces.against_rules()[1] == []
    assert not session.traces.pairs_against_rules
    now, _ = session.violations()
    session.traces.apply_rules(True)
    rows, words = session.traces.against_rules()
    found = {(graph.ids[a], graph.ids[b]): w for a, b, w in zip(rows.caller, rows.callee, words, strict=True)}
    assert found == {(MAIN, CHECKOUT): "passes over shop/domain/discount.py"}
    assert session.traces.pairs_against_rules == ((graph.key_of[MAIN], graph.key_of[CHECKOUT]),)  # for views
    session.rules = Rules(("shop/infrastructure", "shop/domain"))
    assert (
        session.traces.against_rules()[1]
        == ["shop/domain must not use shop/infrastructure, which is a higher layer"] * 2
    )
    session.rules = Rules(("shop/services", "shop/ui"))
    assert session.traces.against_rules()[1] == ["shop/ui must not use shop/services, which is a higher layer"]
    assert session.violations()[0] != now
    session.set_view(filter=RelationFilter(violations=True))
    edges = session.scene().graph.edges
    assert (of_kinds(edges, (RUN_TIME_CALL,)) & session.scene().relations).any()
    session.traces.apply_rules(False)
    assert not (of_kinds(edges, (RUN_TIME_CALL,)) & session.scene().relations).any()


def test_a_plan_keeps_the_values_of_what_it_moves(session: Session) -> None:
    """Values and relations follow a node that a plan moves, and go with one that it removes."""
    key_of = session.graph.key_of
    assert session.move([key_of["shop/domain/order.py"]], key_of["shop/services"]) is None
    assert value(session, CALLS, FROM_CART) == 2
    assert session.remove([session.graph.key_of["shop/infrastructure/clock.py"]]) is None
    graph = session.graph
    rows = np.flatnonzero(of_kinds(graph.edges, (RUN_TIME_CALL,)))
    assert session.scene().total > 0
    assert key_of[NOW] not in graph.edges.target[rows]
    session.undo()
    assert session.scene().graph is session.graph


def test_a_deeper_analysis_looks_the_functions_up_anew(session: Session, shop: Project) -> None:
    """The same subject with other keys: nothing is known until it is found out again."""
    session.map("height", CALLS)
    base = session.planned
    order = replace(base, name=base.name)
    session.deepen(replace(shop, graph=order))
    assert session.traces.is_wanted
    assert np.isnan(value(session, CALLS, TOTAL))  # being measured, not zero
    assert session.scene().values.metrics[CALLS].missing == "being measured"
    session.traces.settle()
    assert value(session, CALLS, TOTAL) == 4
    assert session.view.mapping.height == CALLS


def test_another_hierarchy_and_before_the_plan_show_the_calls_too(session: Session) -> None:
    session.show_in("packages")
    assert value(session, CALLS, TOTAL) == 4
    assert of_kinds(session.graph.edges, (RUN_TIME_CALL,)).any()
    assert session.scene().graph is session.graph


def test_a_second_view_follows_the_window(session: Session) -> None:
    second = SecondSession(session, lambda run: run())
    second.begin(second.beginning())
    assert float(second.scene().values[CALLS][second.graph.key_of[TOTAL]]) == 4
    look(session, 0, 300)
    assert float(second.scene().values[CALLS][second.graph.key_of[TOTAL]]) == 1
    second.map("color", SELF_TIME)
    session.traces.close()
    assert CALLS not in second.metrics
    assert second.scene().drawn.color == second.usual_mapping.color
    second.close_down()


def test_closing_a_trace_takes_its_values_out_of_the_picture(session: Session) -> None:
    usual = session.view.mapping
    session.map("height", CALLS)
    session.map("color", COVERAGE)
    session.map("thickness", "time")
    session.set_view(filter=RelationFilter(evidence="run"))
    session.traces.close()
    assert session.view.mapping == usual
    assert session.view.filter == RelationFilter()
    session.scene()


def test_listeners_are_told_of_traces(session: Session) -> None:
    told: list[Change] = []
    session.subscribe(told.append)
    session.traces.look_at(Focus(0, (0, 5)))
    assert told == [Change.TRACE]
    session.traces.settle()
    assert told == [Change.TRACE, Change.TRACE, Change.VIEW]


def test_what_was_found_out_for_another_focus_is_shown_and_asked_for_again(session: Session) -> None:
    """A window that is dragged: values follow while the next ones are found out."""
    session.traces.look_at(Focus(0, (0, 300 * MS)))
    prepared = session.traces.prepare()
    session.traces.look_at(Focus(0, (0, 50 * MS)))
    session.traces.take(prepared(silent))
    assert value(session, CALLS, CHECKOUT) == 1
    assert session.traces.is_wanted


def test_coverage_is_the_share_of_functions_that_were_called(session: Session) -> None:
    """NEW-14: coverage from a trace; per cent, higher is better."""
    assert value(session, COVERAGE, TOTAL) == 100
    assert value(session, COVERAGE, "shop/services/stock.py::take") == 0
    assert 0 < value(session, COVERAGE, "shop") < 100
    assert session.metrics[COVERAGE].worse == "less"


# -- tables --------------------------------------------------------------------------------------------------


def test_tables_of_a_window(session: Session) -> None:
    """TR-3: rare calls first; functions by their own time; what is not in the code, with a reason."""
    found = session.traces.found
    assert found is not None
    assert found.run_time is not None
    assert found.trace is not None
    rows = function_rows(found.run_time, session.graph)
    assert session.graph.ids[rows.key[0]] == MAIN
    rare = rare_calls(found.run_time, session.graph)
    assert rare.count[0] == 1
    assert list(rare.count) == sorted(rare.count)
    lost, rest = lost_functions(found.trace, found.laid.map)
    assert [each.name for each in lost] == [ELSEWHERE.partition("::")[2]]
    assert lost[0].why
    assert lost[0].calls == 1
    assert rest == 0


def test_where_to_test_ranks_complex_files_that_did_not_run(session: Session) -> None:
    """NEW-14: complexity x change x uncovered."""
    values = session.scene().values
    ranked = where_to_test(session.graph, values["complexity"], values["commits"], values[COVERAGE] / 100)
    assert len(ranked) > 3
    assert all(each.covered < 1 for each in ranked)


def test_words_of_a_trace(session: Session) -> None:
    trace = session.traces.opened[0].trace
    assert title(trace, "x.json") == "shop.py"
    assert facts(trace) == "13 calls · 2 threads · 1 s"
    found = session.traces.found
    assert found is not None
    assert mapped(found.laid.map) == "Of 6 recorded functions 5 belong to this code; the others ran outside of it."
    assert "Recorded on 2023-11-14 22:13 UTC." in sentences(trace)


def test_a_trace_is_called_by_its_program_not_by_the_interpreter() -> None:
    for arguments, called in ((("-m", "shop", "buy"), "shop"), (("a/b.py",), "b.py"), (("-c", "1"), "python3")):
        made = builder()
        made.describe(program="/usr/bin/python3", arguments=arguments)
        assert title(made.trace(made.build()), "f") == called


def test_words_of_samples_repairs_and_hostile_names() -> None:
    """Repairs and omissions are told by kind; samples are no calls; names are one line, however long."""
    made = builder()
    made.mark_sampled(made.thread(1, 1))
    made.describe(program="/bin/\u202e<b>\n" + "x" * 10_000, arguments=("a\nb",), began=2**62)
    made.repairs["ends without a begin"] = 3
    made.omissions["events\nwith a line"] = 2
    trace = made.trace(made.build())
    said = " ".join(sentences(trace))
    assert "3 ends without a begin" in said
    assert "no call counts" in said
    assert "\n" not in said + title(trace, "f")
    assert len(title(trace, "f")) < 100


# -- the document --------------------------------------------------------------------------------------------


def saved(session: Session, file: Path) -> dict[str, object]:
    session.save(file)
    data: dict[str, object] = json.loads(file.read_text())
    return data


def test_a_document_names_its_traces(session: Session, tmp_path: Path, shop: Project) -> None:
    """The document keeps path, format and digest; another session reads them, with the style that goes by them."""
    session.map("height", CALLS)
    assert session.unsaved
    saved(session, tmp_path / "a.cbv")
    assert not session.unsaved
    document = read_document(tmp_path / "a.cbv")
    assert document.traces == session.traces.files
    again = Session()
    again.open(shop, document, tmp_path / "a.cbv")
    assert again.traces.missing == document.traces
    assert again.view.mapping.height == CALLS
    assert again.scene().values.metrics[CALLS].missing == "being measured"
    assert not again.unsaved
    again.traces.add(imported(shop_run(again.graph)), document.traces[0])
    again.traces.settle()
    assert value(again, CALLS, TOTAL) == 4
    assert not again.unsaved


def test_a_trace_that_is_missing_stays_in_the_document_until_it_is_left_out(
    session: Session, tmp_path: Path, shop: Project
) -> None:
    session.map("height", CALLS)
    saved(session, tmp_path / "a.cbv")
    document = read_document(tmp_path / "a.cbv")
    again = Session()
    again.open(shop, document, tmp_path / "a.cbv")
    saved(again, tmp_path / "b.cbv")
    kept = read_document(tmp_path / "b.cbv")
    assert kept.traces == document.traces
    assert kept.view["mapping"]["height"] == CALLS  # nothing else of the document is lost
    again.traces.leave_out(kept.traces[0])
    assert again.view.mapping.height != CALLS
    saved(again, tmp_path / "b.cbv")
    assert read_document(tmp_path / "b.cbv").traces == ()


def test_paths_of_traces_are_relative_to_the_document(session: Session, tmp_path: Path) -> None:
    near = TraceFile(tmp_path / "runs" / "a.json", "chrome", "ab", 1, 2)
    far = TraceFile(Path("/elsewhere/b.json"), "chrome")
    document = replace(session.document(), traces=(near, far))
    write_document(document, tmp_path / "a.cbv")
    rows = json.loads((tmp_path / "a.cbv").read_text())["view"]["traces"]
    assert [row["path"] for row in rows] == ["runs/a.json", "/elsewhere/b.json"]
    assert read_document(tmp_path / "a.cbv").traces == (near, far)


@pytest.mark.parametrize(
    "traces", [17, [17], [{"path": ""}], [{"path": "a\0b"}], [{"path": "a", "size": -1}], [{"path": "a", "digest": 3}]]
)
def test_a_damaged_list_of_traces_costs_no_plan(session: Session, tmp_path: Path, traces: object) -> None:
    data = saved(session, tmp_path / "a.cbv")
    view = data["view"]
    assert isinstance(view, dict)
    view["traces"] = traces
    (tmp_path / "a.cbv").write_text(json.dumps(data))
    assert read_document(tmp_path / "a.cbv").traces == ()


def test_a_file_is_told_to_be_another_one_by_size_and_date(tmp_path: Path) -> None:
    """The digest is made at import; reopening compares size and date only."""
    file = tmp_path / "a.json"
    file.write_text("{}")
    known = files.described(file, "chrome", silent)
    assert len(known.digest) == 64
    assert not files.changed(known)
    file.write_text("{ }")
    assert files.changed(known)
    file.unlink()
    assert not files.changed(known)
    with pytest.raises(InputError, match=r"a\.json cannot be read"):
        files.described(file, "chrome", silent)


# -- focus ---------------------------------------------------------------------------------------------------


def test_a_window_stays_within_the_trace() -> None:
    span, focus = (100, 1100), Focus(0, (200, 400))
    assert focus.moved(5000, span).window == (900, 1100)
    assert focus.moved(-5000, span).window == (100, 300)
    assert focus.zoomed(0.5, 300, span).window == (250, 350)
    assert focus.zoomed(100, 300, span).window is None
    assert Focus().zoomed(0.5, 100, span).window == (100, 600)
    assert Focus(0, (0, 5000)).within(span) == span
    tiny = Focus(0, (300, 301))
    assert tiny.zoomed(0.01, 300, span).window == (300, 301)


def test_selecting_calls_adds_nothing_up_again(session: Session) -> None:
    """What is selected in a view of a trace changes no value of the picture; a window does."""
    focus = session.traces.focus
    session.traces.look_at(replace(focus, calls=(1, 2), function=0))
    assert session.traces.focus.calls == (1, 2)
    assert not session.traces.is_wanted
    session.traces.look_at(replace(session.traces.focus, window=(0, MS)))
    assert session.traces.is_wanted
