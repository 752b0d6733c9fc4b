"""The pictures of the documentation, taken from the real window while it is used: make pictures [FOLDER].

    make_pictures.py [FOLDER] [--planning|--plans|--traces|--stories|--mill|--fusion|--extravis|--history]
                                                     those of the guide, or of one part; needs no display
    make_pictures.py [FOLDER] --carried HTTPX        those of "A plan carried out", with a clone of httpx
    make_pictures.py [FOLDER] --sympy CLONE          those of the two stories of a history, with a clone of sympy
    make_pictures.py [FOLDER] --views                SyncTrace and ViewFusion for a review: both themes, 1x and 2x,
                                                     and as seen without red or green
    make_pictures.py [FOLDER] --waits KEPT           those of two public programs, from what `make judge-waits` kept
    make_pictures.py [FOLDER] --callflow [F:MAP]     those of many runs; with what `make judge-lulesh` reads, of LULESH
    make_pictures.py [FOLDER] --subjects PATH...     those for a review: the window with these subjects (folders or
                                                     graphs, from small to huge) in many states; needs Xvfb

Subjects of the guide are the last commit of this checkout, and the sample project.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callflow_pictures import callflow
from extravis_pictures import extravis
from review_pictures import review

if TYPE_CHECKING:
    from photographer import Photographer

HOME = Path(__file__).resolve().parents[1]
SYMPY = "e950d313a932bc6cccbc95376b3821cd2f8b5af4"  # of August 2026, 62,658 commits


def own_checkout(scratch: Path) -> Path:
    """The last commit of this checkout, in a folder of the project's name and without what lies about here."""
    folder = scratch / "cbvtool"
    subprocess.run(["git", "clone", "--quiet", str(HOME), str(folder)], check=True)
    return folder


def guide(out: Path, *parts: str) -> None:
    """Take the pictures of the guide, or those of some `parts`: planning, traces, stories, extravis, ..."""
    planning = "planning" in parts
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_FONT_DPI": "96"}
    from photographer import Photographer  # the platform is chosen above
    from qtpy.QtCore import Qt

    from cbvtool.view.window.sample import make_sample, sample_script

    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name}_HOME": f"{scratch}/{name.lower()}" for name in ("CONFIG", "DATA", "CACHE")}
        script = sample_script()
        if script is None:
            raise SystemExit("The sample project is not there.")
        shop = make_sample(Path(scratch), script)
        if "fusion" in parts:
            fusion(out, Path(scratch))
            compared(out, Path(scratch))
            return
        if "extravis" in parts:
            extravis(out, Path(scratch))
            return
        hand = Photographer(out, Path(scratch) / "settings.ini")
        if "stories" in parts or "mill" in parts:
            (stories if "stories" in parts else mill)(hand, Path(scratch))
            hand.close()
            return
        if "plans" in parts:
            plans(hand, shop, Path(scratch))
            hand.close()
            return
        if "traces" in parts:
            traces(hand, shop, Path(scratch))
            hand.close()
            return
        if "history" in parts:
            hand.open(own_checkout(Path(scratch)))
            hand.session.expand([hand.key("src/cbvtool")])
            timeline(hand)
            hand.close()
            return
        if not planning:
            hand.take("start")

            hand.open(own_checkout(Path(scratch)))
            core = hand.key("src/cbvtool")
            hand.session.expand([core])
            hand.take("overview")
            hand.do("preset_2")
            hand.choose_time_range("Last 12 months")
            hand.show_panel("style")
            hand.type("kind:file churn > 3 complexity > 50")
            hand.take("question")
            hand.reveal_match()
            hand.show_panel("details")
            hand.do("impact")
            hand.settle(1.0)
            hand.take("affected")
            hand.do("escape")
            hand.tidy()
            hand.session.select(())
            hand.session.restrict(core)
            hand.do("level_more")
            hand.look("dark")
            hand.take("hot-spots")
            hand.look("light")
            hand.session.set_view(expanded=frozenset({core}))
            hand.do("matrix")
            hand.window.resizeDocks([hand.window.desk.docks["matrix"]], [430], Qt.Orientation.Vertical)
            hand.settle(1.0)
            hand.take("matrix")
            hand.tidy()
            timeline(hand)
            hand.do("preset_1")
            hand.choose_time_range("Usual")
            hand.session.expand([hand.key("src/cbvtool/plan"), hand.key("src/cbvtool/geometry")])
            hand.click("src/cbvtool/plan", own=True)
            hand.take("expanded")
        if not planning:
            traces(hand, shop, Path(scratch))
            mill(hand, Path(scratch))
            fusion(out, Path(scratch))
            extravis(out, Path(scratch))
            compared(out, Path(scratch))
        sample(hand, shop)
        plans(hand, shop, Path(scratch))
        hand.close()


def timeline(hand: Photographer) -> None:
    """Take the picture of the timeline: a range of the history of what is open, dragged."""
    hand.do("preset_2")
    hand.drag_range(0.35, 0.6)
    hand.do("pin_range")
    hand.drag_range(0.62, 0.9)
    hand.take("timeline")
    hand.do("timeline")


def traces(hand: Photographer, shop: Path, scratch: Path) -> None:
    """Take the pictures of traces: the sample project, recorded while somebody buys something."""
    recorded = scratch / "run"
    program = [sys.executable, "-m", "shop", "buy", "tea", "2", "biscuits", "1", "--coupon", "WELCOME"]
    record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(recorded), "--", *program]
    subprocess.run(record, check=True, cwd=shop, stdout=subprocess.DEVNULL)
    hand.open(shop)
    hand.session.show_files()
    hand.open_trace(recorded)
    hand.do("calls_as_heights")
    hand.take("trace")
    hand.choose_window(0.83, 0.99)
    hand.look("dark")
    hand.take("trace-window")
    hand.do("whole_trace")
    hand.traced()
    hand.look("light")
    hand.do("coverage_as_colours")
    hand.show_tab("Where to test")
    hand.take("trace-coverage")
    hand.do("calls_as_heights")
    hand.do("only_run_time")
    hand.show_tab("Rare calls")
    hand.take("trace-only-run-time")
    hand.do("only_run_time")
    hand.open_view("tracevis", own=True)
    hand.point_at("activity", 0.62, 0.5)
    hand.take("trace-tracevis")
    hand.close_view()
    hand.do("close_trace")
    hand.do("preset_1")
    stories(hand, scratch)


TOWN = "from town.gui.window import show_town; show_town([f'{n} ada 6 4 3' for n in range(60)])"
OUTLIER = ("link=outside", "color=calls", "cells=time", "self=on")


def fusion(out: Path, scratch: Path) -> None:
    """Take the pictures of calls over the code, on a recording of the town, as the command draws them."""
    town, recorded = HOME / "sample_projects" / "town", scratch / "town-run"
    command = [sys.executable, "-m", "cbvtool", "trace"]
    program = [sys.executable, "-c", TOWN]
    subprocess.run([*command, "record", "-o", str(recorded), "--", *program], check=True, cwd=town, capture_output=True)
    for name, values in (("", ()), ("-depth", ("color=deepest",)), ("-outlier", OUTLIER)):
        chosen = [word for value in values for word in ("--set", value)]
        render(out / f"trace-fusion{name}.png", "fusion", recorded, "--graph", str(town), *chosen)


def waits(out: Path, kept: Path) -> None:
    """Take the pictures of two public programs, recorded by `make judge-waits`, as the command draws them."""
    web, leveldb = kept / "web", kept / "leveldb"
    readers = [
        wait for wait in waits_of(web / "recording") if wait["thread"].startswith("reader_") and not wait["open"]
    ]
    begin = min(wait["start_ns"] for wait in readers)
    with tempfile.TemporaryDirectory() as scratch:  # without the imports, whose stacks are deep
        part = Path(scratch) / "part"
        command = [sys.executable, "-m", "cbvtool", "trace", "convert", str(web / "recording"), str(part)]
        subprocess.run([*command, "--to", "folder", "--window", f"{begin}.."], check=True)
        render(out / "trace-sync-web.png", "sync", part, size="1440x760")
    every = waits_of(leveldb / "recording")
    longest = next(wait for wait in every if wait["object"].startswith("condition leveldb::DBImpl::Write"))
    margin = longest["duration_ns"] // 4
    begin, end = longest["start_ns"] - margin, longest["start_ns"] + longest["duration_ns"] + margin
    held = [w for w in every if w["duration_ns"] > margin and begin < w["start_ns"] < end and "(" in w["thread"]]
    threads = {name for wait in held for name in (wait["thread"], wait["releasing"])}
    ids = ",".join(sorted(name.partition("(")[2].rstrip(")") or name for name in threads))
    chosen = ["--threads", ids, "--window", f"{begin}ns..{end}ns"]
    render(out / "trace-sync-leveldb.png", "sync", leveldb / "recording", *chosen, size="1440x760")
    code = ["--graph", str(web / "sources"), "--threads", "waitress-0"]
    render(out / "trace-fusion-web.png", "fusion", web / "recording", *code)
    code = ["--graph", str(leveldb / "leveldb-source"), "--threads", longest["thread"].partition("(")[2].rstrip(")")]
    around = [word for value in OUTLIER for word in ("--set", value)]
    render(out / "trace-fusion-leveldb.png", "fusion", leveldb / "recording", *code, *around)


def waits_of(recording: Path) -> list[dict[str, Any]]:
    """The waits of a recording, the longest first, as `cbvtool trace waits` tells them."""
    command = [
        sys.executable,
        "-m",
        "cbvtool",
        "trace",
        "waits",
        str(recording),
        "--table",
        "waits",
        "--format",
        "json",
    ]
    found: list[dict[str, Any]] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["waits"]
    return found


def render(picture: Path, view: str, recording: Path, *words: str, size: str = "1440x860") -> None:
    """Draw a view of a recording into a file."""
    command = [sys.executable, "-m", "cbvtool", "trace", "render", view, str(recording), "--size", size]
    subprocess.run([*command, "-o", str(picture), *words], check=True)


def stories(hand: Photographer, scratch: Path) -> None:
    """Take the pictures of the two stories, on recordings of the sample program with threads."""
    weather = HOME / "sample_projects" / "weather"
    for word in ("rain", "charts"):
        recorded = scratch / word
        record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(recorded), "--"]
        subprocess.run([*record, sys.executable, "-m", "weather", word], check=True, cwd=weather, capture_output=True)
        hand.open(weather)
        hand.open_trace(recorded)
        hand.open_view("tracevis", own=True, fit=True)
        if word == "rain":
            hand.point_at("activity", 0.8, 0.575)
        hand.take(f"trace-story-{word}")
        hand.close_view()
        hand.do("close_trace")


def mill(hand: Photographer, scratch: Path) -> None:
    """Take the pictures of the six stories, on a recording of the sample program whose threads wait."""
    home, recorded = HOME / "sample_projects" / "mill", scratch / "mill"
    record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(recorded), "--"]
    subprocess.run([*record, sys.executable, "-B", "-m", "mill"], check=True, cwd=home, capture_output=True)
    hand.open(home)
    hand.open_trace(recorded)
    hand.open_view("sync")
    hand.take("trace-mill")
    hand.click_row("threads", "farmer")
    hand.take("trace-mill-farmer")
    hand.click_row("waits", "monitor", "never")
    hand.take("trace-mill-monitor")
    hand.click_row("threads", "compressor")
    hand.take("trace-mill-compressor")
    hand.click_row("waits", "Scales.weigh")
    hand.point_at("main", 0.65, 0.2)
    hand.take("trace-mill-slow")
    hand.press_over("main", "A", 0.5, 0.97)
    hand.click_row("threads", "vane")
    hand.take("trace-mill-vane")
    hand.click_row("threads", "baker")
    hand.press_over("main", "o", 0.5, 0.97)
    hand.take("trace-mill-objects")
    hand.press_over("main", "o", 0.5, 0.97)
    hand.click_at("main", 0.02, 0.7)  # no wait is chosen any more
    hand.click_row("threads", "cart 1")
    hand.click_row("what-if", "gate.py", "split in two")
    hand.show_table("estimate")
    hand.take("trace-mill-what-if")
    hand.close_view()
    hand.do("close_trace")


def compared(out: Path, scratch: Path) -> None:
    """Take the pictures of two runs compared, on recordings of the town with two inputs, as the command draws them."""
    town = HOME / "sample_projects" / "town"
    command = [sys.executable, "-m", "cbvtool", "trace"]
    for lines in (20, 60):
        program = [sys.executable, "-c", TOWN.replace("60", str(lines))]
        recorded = str(scratch / f"town-{lines}")
        subprocess.run([*command, "record", "-o", recorded, "--", *program], check=True, cwd=town, capture_output=True)
    runs = [str(scratch / f"town-{lines}") for lines in (20, 60)]
    for name, theme, values in (("", "light", ["own=on"]), ("-position", "dark", ["own=on", "color=position"])):
        chosen = [word for value in values for word in ("--set", value)]
        drawn = ["render", "diff", *runs, "--graph", str(town), "--size", "1440x860", "--theme", theme]
        subprocess.run([*command, *drawn, *chosen, "-o", str(out / f"trace-diff{name}.png")], check=True)


def sample(hand: Photographer, shop: Path) -> None:
    """Take the pictures of planning, with the sample project."""
    hand.open(shop)
    hand.session.set_view(expanded=frozenset({hand.key("shop")}))
    end = hand.lift("shop/domain", "shop/services")
    hand.take("mid-drag")
    hand.drop(end)
    hand.session.expand([hand.key("shop/services")])
    hand.window.desk.panels["structure"].tree.expandToDepth(2)
    hand.judged()
    hand.click("shop/domain")
    hand.take("after-drop")
    hand.session.select(())
    hand.do("before_after")
    hand.settle(1.0)
    hand.take("before-plan")
    hand.do("before_after")
    end = hand.lift("scripts", "shop/ui")
    hand.drop(end)
    hand.session.select(())
    hand.judged()
    hand.window.desk.panels["plan"].show_places(1)
    hand.show_panel("plan")
    hand.take("tasks")
    while hand.session.unsaved:
        hand.session.undo()
    hand.resize(1600, 900)
    hand.session.expand([hand.key("shop/services"), hand.key("shop/domain"), hand.key("shop/infrastructure")])
    hand.show_second("owners", "chen")
    hand.take("two-views")


def plans(hand: Photographer, shop: Path, scratch: Path) -> None:
    """Take the pictures of two plans side by side, and of a plan that is half carried out, with the sample project."""
    from cbvtool.cli import main as run
    from cbvtool.view.panels.alternatives.comparing_plans import ComparingPlans

    def move(node: str, target: str) -> None:
        if refused := hand.session.move([hand.key(node)], hand.key(target)):
            raise SystemExit(refused)

    hand.open(shop)
    hand.session.set_view(expanded=frozenset({hand.key("shop")}))
    choice, file = hand.session.plan_choice, scratch / "plan.cbv"
    choice.rename("Plan 1", "Layers")
    move("scripts", "shop/ui")
    hand.session.save(scratch / "first.cbv")
    move("shop/infrastructure", "shop/services")
    choice.branch("Features")
    hand.session.travel(0)
    move("shop/domain", "shop/services")
    hand.session.select(())
    hand.judged()
    hand.do("plans_compare")
    comparing = hand.window.desk.part(ComparingPlans)
    hand.wait(lambda: comparing.found is not None)
    dialog = comparing.dialog
    assert dialog is not None
    hand.take_widget("two-plans", dialog)
    dialog.picture.click()
    hand.wait(lambda: hand.session.versions.compared is not None)
    dialog.close()
    hand.show_panel("plan")
    hand.take("plans-compared")
    hand.do("end_comparison")
    choice.switch("Layers")
    hand.session.save(file)
    if run(["plan", "apply", str(scratch / "first.cbv"), "--to", "restructured"]):
        raise SystemExit("The first plan is not applied.")
    subprocess.run(["git", "checkout", "--quiet", "restructured"], cwd=shop, check=True)
    (shop / "shop/services/infrastructure").mkdir()
    for name in ("__init__.py", "mailer.py"):
        (shop / "shop/infrastructure" / name).rename(shop / "shop/services/infrastructure" / name)
    hand.open(file)
    panel = hand.window.desk.panels["plan"]
    hand.show_panel("plan")
    panel.tracked.click()
    hand.wait(lambda: "done in the code" in panel.text.toPlainText())
    hand.take_widget("progress", panel)


def carried(out: Path, httpx: Path) -> None:
    """Take the pictures of a plan that was carried out; `httpx`: a clone with the commit that the plan is for."""
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_FONT_DPI": "96"}
    from photographer import Photographer  # the platform is chosen above
    from qtpy.QtWidgets import QTextBrowser

    examples = HOME / "docs" / "examples"
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name}_HOME": f"{scratch}/{name.lower()}" for name in ("CONFIG", "DATA", "CACHE")}
        plan = Path(scratch) / "httpx.cbv"
        plan.write_text((examples / "httpx.cbv").read_text())
        subject = Path(scratch) / "httpx"
        commit = json.loads(plan.read_text())["subject"]["commit"]
        subprocess.run(["git", "clone", "--quiet", str(httpx), str(subject)], check=True)
        subprocess.run(["git", "checkout", "--quiet", commit], cwd=subject, check=True)
        (subject / "cbvtool.toml").write_text((examples / "httpx.toml").read_text())
        hand = Photographer(out, Path(scratch) / "settings.ini")
        hand.open(subject)
        hand.session.set_view(expanded=frozenset({hand.key(""), hand.key("httpx"), hand.key("httpx/_utils.py")}))
        hand.show_panel("rules")
        hand.do("only_cycles")
        hand.take("carried-cycle")
        hand.do("only_cycles")
        hand.show_panel("details")
        hand.session.create(hand.key("httpx"), "_proxies.py", "file")
        hand.judged()
        end = hand.lift("httpx/_utils.py::URLPattern", hand.session.graph.ids[-1], own=True)
        hand.take("carried-drag")
        hand.drop(end)
        while hand.session.unsaved:
            hand.session.undo()
        hand.open(plan)
        hand.show_panel("plan")
        hand.judged()
        hand.take("carried-plan")
        panel = hand.window.desk.panels["plan"]
        panel.show_places(16)
        hand.settle(1.0)
        panel.findChild(QTextBrowser).find("Move is_ipv4_hostname")
        hand.take("carried-tasks")
        hand.close()


def history_stories(out: Path, sympy: Path) -> None:
    """Take the pictures of two questions to a history; `sympy`: a clone with the commit `SYMPY`."""
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_FONT_DPI": "96"}
    from photographer import Photographer  # the platform is chosen above

    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name}_HOME": f"{scratch}/{name.lower()}" for name in ("CONFIG", "DATA", "CACHE")}
        subject = Path(scratch) / "sympy"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(sympy), str(subject)], check=True)
        subprocess.run(["git", "checkout", "--quiet", SYMPY], cwd=subject, check=True)
        hand = Photographer(out, Path(scratch) / "settings.ini")
        hand.open(subject)
        hand.do("timeline")
        hand.wait(lambda: not hand.window.jobs.running)
        hand.do("previous_release")
        hand.settle(1.0)
        hand.click("sympy/assumptions")
        hand.wait(lambda: not hand.window.jobs.running)
        hand.take("history-story-release")
        hand.do("escape")
        hand.do("range_usual")
        hand.do("changes_together")
        hand.wait(lambda: not hand.window.jobs.running)
        table = hand.window.desk.panels["coupling"].table
        table.clicked.emit(table.model().index(0, 0))
        hand.settle(1.0)
        hand.wait(lambda: not hand.window.jobs.running)
        hand.take("history-story-together")
        hand.close()


def main(arguments: list[str]) -> int:
    """Take those that were asked for."""
    parser = argparse.ArgumentParser(description="Take the pictures of the guide, or those for a review.")
    parser.add_argument("folder", type=Path, nargs="?", help="where they go (default: docs/images, or out/review)")
    parser.add_argument("--subjects", type=Path, nargs="+", metavar="PATH", help="take those for a review, of these")
    parser.add_argument("--planning", action="store_true", help="take those of planning alone")
    parser.add_argument("--plans", action="store_true", help="take those of several plans, and of one followed, alone")
    parser.add_argument("--traces", action="store_true", help="take those of traces alone")
    parser.add_argument("--stories", action="store_true", help="take those of the two stories of slow programs alone")
    parser.add_argument("--mill", action="store_true", help="take those of the six stories of a mill alone")
    parser.add_argument("--fusion", action="store_true", help="take those of calls over the code alone")
    parser.add_argument("--extravis", action="store_true", help="take those of calls one after the other alone")
    parser.add_argument("--history", action="store_true", help="take those of the history alone")
    parser.add_argument("--carried", type=Path, metavar="HTTPX", help="take those of a plan that was carried out alone")
    parser.add_argument("--sympy", type=Path, metavar="CLONE", help="take those of two questions to a history alone")
    parser.add_argument("--views", action="store_true", help="take those of waits and code alone, for a review")
    parser.add_argument(
        "--waits", type=Path, metavar="KEPT", help="take those of what `make judge-waits` recorded alone"
    )
    parser.add_argument(
        "--callflow", nargs="?", const="", metavar="FOLDER:MAP", help="take those of many runs alone, and of LULESH"
    )
    chosen = parser.parse_args(arguments)
    out = chosen.folder or HOME / ("out/review" if chosen.subjects or chosen.views else "docs/images")
    out.mkdir(parents=True, exist_ok=True)
    if chosen.views:
        from view_pictures import review as review_views

        review_views(out)
        return 0
    if chosen.callflow is not None:
        callflow(out, chosen.callflow)
        return 0
    if chosen.waits:
        waits(out, chosen.waits)
        return 0
    if chosen.carried:
        carried(out, chosen.carried)
        return 0
    if chosen.sympy:
        history_stories(out, chosen.sympy)
        return 0
    names = ("planning", "plans", "traces", "stories", "mill", "fusion", "extravis", "history")
    parts = [part for part in names if getattr(chosen, part)]
    review(out, chosen.subjects) if chosen.subjects else guide(out, *parts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
