"""The report as one page for a browser: nothing is loaded, nothing runs but the picture that can be turned."""

from __future__ import annotations

from importlib.resources import files

from markupsafe import Markup

from cbvtool.export.html import content_policy, sources
from cbvtool.geometry.overlay.labels import Measure, rough_width
from cbvtool.metrics.history.last_change import day
from cbvtool.progress import checkpoint
from cbvtool.report.first_screen import SHORT, first_screen
from cbvtool.report.gathered import Gathered
from cbvtool.report.lists import cycles_section, findings_section, hot_spots_section, rules_section
from cbvtool.report.markup import Content, element, joined, listing, table, text, verbatim
from cbvtool.report.picture_section import picture_section
from cbvtool.report.plan_section import plan_section
from cbvtool.report.trend import MARK, shown
from cbvtool.report.trend_section import trend_section

_PLACES = (
    ("summary", "Summary"),
    ("picture", "Picture"),
    ("trend", "What changed"),
    ("findings", "What stands out"),
    ("rules", "Rules"),
    ("cycles", "Cycles"),
    ("hot-spots", "Hot spots"),
    ("plan", "Plan"),
    ("about", "How it was counted"),
)


def page(one: Gathered, measure: Measure = rough_width) -> bytes:
    """The file. The same report gives the same bytes. A cancelled job stops on its way (`checkpoint`)."""
    sections: list[Markup] = [first_screen(one)]
    checkpoint()
    sections.append(picture_section(one, measure))
    for section in (trend_section, findings_section, rules_section, cycles_section, hot_spots_section, plan_section):
        checkpoint()
        sections.append(section(one))
    sections += [_noted(one), _about(one)]
    body = joined((_header(one), _navigation(one), element("main", *sections, id="main"), _footer(one)))
    return (_head(one) + element("body", body) + Markup("\n</html>\n")).encode("utf-8")


def _head(one: Gathered) -> Markup:
    style = (files("cbvtool.report") / "report.css").read_text("utf-8")
    script, scene_style = sources()
    policy = content_policy([script], [style, scene_style], "img-src data:; ")
    title = f"Report on {one.project.name}, {one.day}"
    return Markup(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="cbvtool report">\n<meta name="description" content="{mark}">\n'
        "<title>{title}</title>\n<style>{style}</style>\n</head>\n"
    ).format(policy=text(policy), mark=f"{MARK} {one.project.commit}", title=text(title), style=verbatim(style))


def _header(one: Gathered) -> Markup:
    said = [f"Report of {one.day}"]
    if one.project.commit:
        said.append(f"commit {one.project.commit[:SHORT]}")
    if one.trend is not None:
        begin = one.trend.begin
        said.append(f"compared with commit {begin.sha[:SHORT]} of {day(begin.time)}")
    return element("header", element("h1", one.project.name), element("p", " · ".join(said)))


def _navigation(one: Gathered) -> Markup:
    links = [element("a", name, href=f"#{place}") for place, name in _PLACES]
    return element("nav", listing(*links), aria_label="Parts of this report")


def _noted(one: Gathered) -> Markup:
    """What people noted, and the views that they keep."""
    parts: list[Content] = []
    if one.notes:
        rows = [(node or one.project.name, told) for node, told in one.notes.items()]
        parts.append(table("Notes", ("About", "Note"), rows, id="notes"))
    if one.views:
        parts += [
            element("p", "The document keeps these views, which the window shows again:"),
            listing(*(each.name for each in one.views), id="views"),
        ]
    if not parts:
        return Markup("")
    return element("section", element("h2", "Notes and views", id="noted"), *parts, aria_labelledby="noted")


def _about(one: Gathered) -> Markup:
    said: list[Content] = [
        "Cycles are of packages, and of files within a package, that depend on one another when the program runs. "
        "Tests are left out of findings.",
        "Complexity is cyclomatic. Size and complexity are neither good nor bad by themselves: a project that grows "
        "has more of both, so that complexity per 100 source lines is judged.",
        f"Effort for what has no plan counts as the task “relations”. {one.weights.explanation}",
        "Findings are of the files as they lie in the folder; figures over time are of commits.",
    ]
    report = one.graph.report
    said += list(report.notes)
    if one.trend is not None:
        said += [f"Left out: {why}" for why in one.trend.read.left_out]
        looked = ", ".join(f"{commit.sha[:SHORT]} of {day(commit.time)}" for commit in one.trend.found.commits)
        said.append(f"Commits looked at: {looked}.")
    return element("section", element("h2", "How it was counted", id="about"), listing(*said), aria_labelledby="about")


def _footer(one: Gathered) -> Markup:
    lines = shown("sloc", float(len(one.graph.edges)))
    return element("footer", element("p", f"Made by cbvtool on {one.day} from {lines} relations in the code."))
