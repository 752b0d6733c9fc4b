"""The commands that cbvtool comes with, one row each."""

from __future__ import annotations

from functools import partial

from markupsafe import Markup

from cbvtool import __version__
from cbvtool.assessment.modules import DEPTH, LAYERS, WAYS
from cbvtool.hierarchies import CSV, FOLDERS, GROUPINGS, is_of_folders, label
from cbvtool.history.time_range import CHOICES, LastRange
from cbvtool.view.commands.commands import COMMANDS, WHICH, Command, Scope
from cbvtool.view.commands.comparing import BeforeAfter
from cbvtool.view.commands.documents import Documents
from cbvtool.view.commands.editing import Editing
from cbvtool.view.commands.exporting import Exporting
from cbvtool.view.commands.help.guide import show_guide
from cbvtool.view.commands.help.palette import show_palette, show_shortcuts
from cbvtool.view.commands.hierarchies import Hierarchies
from cbvtool.view.commands.linking import Linking
from cbvtool.view.commands.matrix_page import MatrixPage
from cbvtool.view.commands.navigating import Navigating
from cbvtool.view.commands.questions import Questions
from cbvtool.view.commands.searching import Searching
from cbvtool.view.commands.styles import Styles
from cbvtool.view.desk import Desk
from cbvtool.view.panels.alternatives.comparing_plans import ComparingPlans
from cbvtool.view.panels.alternatives.copying_steps import CopyingSteps
from cbvtool.view.panels.alternatives.plan_commands import PlanCommands
from cbvtool.view.panels.applying.plan_applying import PlanApplying
from cbvtool.view.panels.findings_panel import FindingsPanel
from cbvtool.view.panels.history.coupling_panel import CouplingPanel
from cbvtool.view.panels.history.evolution_panel import EvolutionPanel
from cbvtool.view.panels.history.people_panel import PeoplePanel
from cbvtool.view.panels.matrix_panel import MatrixPanel
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.panels.proposals_panel import ProposalsPanel
from cbvtool.view.panels.relations_panel import RelationsPanel
from cbvtool.view.panels.rules.rule_editor import RuleEditor
from cbvtool.view.panels.source_panel import SourcePanel
from cbvtool.view.panels.style.style_panel import GUESSES, PACKAGES, StylePanel
from cbvtool.view.panels.timeline.timeline_panel import TimelinePanel
from cbvtool.view.panels.traces.recording import Recording
from cbvtool.view.panels.traces.traces_panel import TracesPanel
from cbvtool.view.panels.traces.tracing import Tracing
from cbvtool.view.panels.unused_panel import UnusedPanel
from cbvtool.view.panels.versions.comparing_versions import ComparingVersions
from cbvtool.view.toolkit.plain import show_about

_view = partial(Command, scope=Scope.VIEW)


def _always(desk: Desk) -> bool:
    return True


def _has_files(desk: Desk) -> bool:
    session = desk.here.session
    return session.is_open and "file" in session.graph.kind_names


def _selected(desk: Desk) -> bool:
    session = desk.here.session
    return session.is_open and bool(session.view.selected)


def _one_selected(desk: Desk) -> bool:
    session = desk.here.session
    return session.is_open and len(session.view.selected) == 1


def _any_chosen(desk: Desk) -> bool:
    return desk.session.is_open and bool(desk.session.view.selected)


def _one_chosen(desk: Desk) -> bool:
    return desk.session.is_open and len(desk.session.view.selected) == 1


def _hideable(desk: Desk) -> bool:
    session = desk.here.session
    return _selected(desk) and session.graph.root not in session.view.selected


def _plannable(desk: Desk) -> bool:
    session = desk.session
    return _can_plan(desk) and bool(session.view.selected) and session.graph.root not in session.view.selected


def _pair_plannable(desk: Desk) -> bool:
    return _plannable(desk) and len(desk.session.view.selected) == 2


def _can_plan(desk: Desk) -> bool:
    """Where what is shown has no place for a plan, the commands say so, and offer the way to where it has."""
    return desk.session.is_open


def _can_judge(desk: Desk) -> bool:
    """Nothing is judged while versions are compared."""
    return desk.session.is_open and not _versions_compared(desk)


def _is_planned(desk: Desk) -> bool:
    history = desk.session.history
    return history is not None and bool(history.done)


def _several_plans(desk: Desk) -> bool:
    return desk.part(PlanCommands).is_several


def _is_compared(desk: Desk) -> bool:
    session = desk.here.session
    return session.view.before or not session.comparing.why_not()


def _has_versions(desk: Desk) -> bool:
    project = desk.session.project
    return project is not None and project.kind == "folder" and bool(project.commit)


def _versions_compared(desk: Desk) -> bool:
    return desk.session.versions.compared is not None


def _has_changes(desk: Desk) -> bool:
    return desk.session.is_open and (_versions_compared(desk) or _is_planned(desk))


def _can_undo(desk: Desk) -> bool:
    session = desk.session
    return session.history is not None and (bool(session.noting.label_undo) or session.first_job is not None)


def _can_redo(desk: Desk) -> bool:
    session = desk.session
    return session.history is not None and (bool(session.noting.label_redo) or session.first_job is not None)


def _has_trace(desk: Desk) -> bool:
    return desk.session.is_open and desk.session.traces.has_calls


def _has_coverage(desk: Desk) -> bool:
    return desk.session.is_open and desk.session.traces.is_open


def _has_commits(desk: Desk) -> bool:
    return desk.session.is_open and desk.session.time_ranges.changes is not None


def _has_releases(desk: Desk) -> bool:
    return _has_commits(desk) and bool(desk.session.time_ranges.releases)


def _other(desk: Desk, evidence: str) -> str:
    """Switches a restriction of what is seen on, or off."""
    return "any" if desk.part(Questions).filter.evidence == evidence else evidence


def _switch_theme(desk: Desk) -> None:
    """Light becomes dark, and back."""
    desk.settings.theme = "light" if desk.settings.theme == "dark" else "dark"
    desk.restyle()


def _about(desk: Desk) -> None:
    """Say what this is."""
    about = Markup(
        "<b>cbvtool {}</b><br>"
        "See a code base, plan its restructuring by dragging modules, leave with a task list."
        "<br><br>MIT licence. The Qt binding, PyQt5, is licensed under the GPL."
    )
    show_about(desk.widget, "About cbvtool", about.format(__version__))


def _preset(number: int, which: str) -> Command:
    def take(desk: Desk) -> None:
        desk.part(Styles).take(number)

    def ready(desk: Desk) -> bool:
        return desk.part(Styles).ready(number)

    return _view(f"preset_{number + 1}", f"{which} preset", "Presets", (str(number + 1),), take, ready)


def _named_view(number: int, which: str) -> Command:
    def show(desk: Desk) -> None:
        desk.part(Navigating).show(number)

    def ready(desk: Desk) -> bool:
        return desk.part(Navigating).ready(number)

    return _view(f"view_{number + 1}", f"{which} saved view", "Saved views", (f"Alt+{number + 1}",), show, ready)


def _hierarchy(name: str) -> Command:
    def show(desk: Desk) -> None:
        desk.part(Hierarchies).show(name)

    def is_shown(desk: Desk) -> bool:
        return desk.here.session.view.hierarchy == name

    tip = ""
    if name:
        planned = "what is planned is done to their folders" if is_of_folders(name) else "planning works in folders"
        tip = f"The rings are groups of the same files; {planned}"
    text = f"Group by {label(name).lower()}"
    return _view(f"hierarchy_{name or 'folders'}", text, "Hierarchy", (), show, tip=tip, checked=is_shown)


def _time_range(choice: LastRange) -> Command:
    def take(desk: Desk) -> None:
        ranges = desk.session.time_ranges
        if ranges.changes is not None:
            ranges.choose(choice.range(ranges.changes))

    def is_chosen(desk: Desk) -> bool:
        ranges = desk.session.time_ranges
        return ranges.changes is not None and ranges.now == choice.range(ranges.changes)

    first, name = choice is CHOICES[0], f"range_{choice.name.lower().replace(' ', '_')}"
    text = {"Usual": "Usual range", "All": "Whole history"}.get(choice.name, choice.name)
    return Command(name, text, "History", (), take, _has_commits, tip=choice.tip, first=first, checked=is_chosen)


_LEVELS = {2: "two", 3: "three", 4: "four"}


def _modules(by: str, depth: int = 2) -> Command:
    def choose(desk: Desk) -> None:
        desk.part(Editing).judge_by(by=by, depth=depth)

    def ready(desk: Desk) -> bool:
        rules = desk.session.rules
        return _can_judge(desk) and (by != LAYERS or (rules is not None and bool(rules.layers)))

    def is_chosen(desk: Desk) -> bool:
        chosen = desk.session.view.modules
        return chosen.by == by and (by != DEPTH or chosen.depth == depth)

    tip = "What counts as a module when the plan is judged"
    name, text = (
        (f"depth_{depth}", f"Containers {_LEVELS[depth]} levels below the root") if by == DEPTH else (by, WAYS[by])
    )
    return Command(f"modules_{name}", text, "Modules", (), choose, ready, tip=tip, checked=is_chosen)


def _rule(kind: str, text: str, tip: str, *, two: bool = False, first: bool = False) -> Command:
    """A new rule about what is selected: `two` or more nodes."""
    least = 2 if two else 0 if kind == "new" else 1

    def ready(desk: Desk) -> bool:
        return desk.part(RuleEditor).can_edit and len(desk.here.session.view.selected) >= least

    known = {"forbid": "forbidden", "new": "forbidden"}.get(kind, kind)

    def run(desk: Desk) -> None:
        desk.part(RuleEditor).make(known)

    return Command(f"rule_{kind}", text, "Rule", (), run, ready, node=kind != "new", tip=tip, first=first)


ROWS: tuple[Command, ...] = (
    Command("open_folder", "Open folder...", "File", ("Ctrl+O",), lambda d: d.part(Documents).ask_folder(), _always),
    Command(
        "open_file", "Open plan or graph...", "File", ("Ctrl+Shift+O",), lambda d: d.part(Documents).ask_file(), _always
    ),
    Command("open_sample", "Open the sample project", "File", (), lambda d: d.part(Documents).open_sample(), _always),
    Command("analyze_again", "Analyse again", "File", ("F5",), lambda d: d.part(Documents).again(), first=True),
    _view(
        "export_view",
        "Export view...",
        "File",
        ("Ctrl+Shift+E",),
        lambda d: d.part(Exporting).ask(),
        first=True,
        tip="Save the current view as PNG, SVG, PDF, or a page for a browser",
    ),
    Command(
        "write_report",
        "Report...",
        "File",
        (),
        lambda d: d.part(Exporting).ask_report(),
        tip="Write one page for people who do not open the tool, or fact sheets: what got worse, what it would take",
    ),
    _view(
        "save_picture",
        "Save picture...",
        "File",
        (),
        lambda d: d.part(Exporting).ask(".png"),
        tip="Save the current view as PNG of any size",
    ),
    _view("copy_picture", "Copy picture", "File", ("Ctrl+Alt+C",), lambda d: d.part(Linking).copy_picture()),
    Command(
        "settings", "Settings...", "File", ("Ctrl+,",), lambda d: d.part(Linking).show_settings(), _always, first=True
    ),
    Command("quit", "Quit", "File", ("Ctrl+Q",), lambda d: d.widget.close(), _always, first=True),
    Command("undo", "Undo", "Edit", ("Ctrl+Z",), lambda d: d.session.undo(), _can_undo),
    Command("redo", "Redo", "Edit", ("Ctrl+Shift+Z", "Ctrl+Y"), lambda d: d.session.redo(), _can_redo),
    Command("search", "Search", "Edit", ("Ctrl+F",), lambda d: d.part(Searching).begin(), first=True),
    Command(
        "open_editor",
        "Open in editor",
        "Edit",
        ("Ctrl+Return",),
        lambda d: d.part(Linking).open_selected(),
        _any_chosen,
        node=True,
        first=True,
        tip="Open the file in your editor, at this line (File > Settings says in which)",
    ),
    Command(
        "copy_path",
        "Copy path",
        "Edit",
        ("Ctrl+Shift+C",),
        lambda d: d.part(Linking).copy_path(),
        _any_chosen,
        node=True,
    ),
    Command(
        "copy_name", "Copy qualified name", "Edit", (), lambda d: d.part(Linking).copy_name(), _any_chosen, node=True
    ),
    Command("palette", "Command palette...", "Edit", ("Ctrl+Shift+P",), show_palette, _always),
    _view("escape", "Cancel what is in progress", "Edit", ("Esc",), lambda d: d.part(Editing).escape(), _always),
    _view(
        "next_sibling", "Go to the next sibling", "Select", ("Right",), lambda d: d.here.walking.step(1), picture=True
    ),
    _view(
        "previous_sibling",
        "Go to the previous sibling",
        "Select",
        ("Left",),
        lambda d: d.here.walking.step(-1),
        picture=True,
    ),
    _view(
        "first_sibling", "Go to the first sibling", "Select", ("Home",), lambda d: d.here.walking.end(0), picture=True
    ),
    _view("last_sibling", "Go to the last sibling", "Select", ("End",), lambda d: d.here.walking.end(-1), picture=True),
    _view("parent", "Go to the parent", "Select", ("Up",), lambda d: d.here.walking.climb(), picture=True),
    _view(
        "first_child", "Go to the first child", "Select", ("Down",), lambda d: d.here.walking.descend(), picture=True
    ),
    _view(
        "toggle",
        "Expand or collapse",
        "Select",
        ("Return", "Enter"),
        lambda d: d.here.walking.toggle(),
        _selected,
        picture=True,
    ),
    _view(
        "keep_selected",
        "Keep selected",
        "Select",
        ("Space",),
        lambda d: d.here.walking.keep(),
        _selected,
        tip="Keep it selected while the arrow keys move on, to select several",
        picture=True,
    ),
    _view(
        "next_partner",
        "Highlight the next neighbour",
        "Select",
        ("Alt+Down",),
        lambda d: d.here.walking.next_partner(1),
        _selected,
        first=True,
        tip="Step through the nodes that are related to the selection",
    ),
    _view(
        "previous_partner",
        "Highlight the previous neighbour",
        "Select",
        ("Alt+Up",),
        lambda d: d.here.walking.next_partner(-1),
        _selected,
    ),
    _view(
        "go_to_partner",
        "Go to the neighbour",
        "Select",
        ("Alt+Return",),
        lambda d: d.here.walking.go_to_partner(),
        lambda d: d.here.walking.can_go_to_partner(),
        tip="Select the highlighted neighbour",
    ),
    _view(
        "lasso",
        "Select by lasso",
        "Select",
        ("Shift+L",),
        lambda d: d.here.draw_lasso(),
        space=True,
        first=True,
        tip="Then draw around what is to be selected",
    ),
    _view("expand", "Expand", "View", ("E",), lambda d: d.part(Editing).expand(), _selected, node=True),
    _view("collapse", "Collapse", "View", ("C",), lambda d: d.part(Editing).collapse(), _selected, node=True),
    _view("level_more", "Show one level more", "View", ("+", "="), lambda d: d.here.session.step_depth(1), space=True),
    _view("level_less", "Show one level less", "View", ("-",), lambda d: d.here.session.step_depth(-1), space=True),
    _view(
        "show_files",
        "Show every file",
        "View",
        ("Shift+E",),
        lambda d: d.here.session.show_files(),
        _has_files,
        space=True,
        tip="Expand all folders and packages, however deep they are; collapse the files",
    ),
    _view(
        "restrict",
        "Restrict to subtree",
        "View",
        ("R",),
        lambda d: d.part(Editing).restrict(),
        _one_selected,
        node=True,
        first=True,
    ),
    _view("show_all", "Show everything", "View", ("Shift+R",), lambda d: d.part(Editing).show_everything(), space=True),
    _view("hide", "Hide", "View", ("H",), lambda d: d.part(Editing).hide(), _hideable, node=True),
    _view(
        "show_only",
        "Show only this",
        "View",
        ("Shift+H",),
        lambda d: d.part(Editing).show_only(),
        _hideable,
        node=True,
        tip="Hide everything else; Show everything brings it back",
    ),
    _view(
        "filter",
        "Show only what the search found",
        "Filter",
        ("Ctrl+Shift+F",),
        lambda d: d.part(Searching).filter(),
        lambda d: d.part(Searching).can_filter,
        tip="Hide everything that does not match",
    ),
    _view(
        "hide_small",
        "Hide small nodes...",
        "Filter",
        (),
        lambda d: d.part(Searching).hide_small(),
        node=True,
        space=True,
        tip="Hide nodes below a threshold of a metric",
    ),
    _view(
        "end_filter",
        "End the filter",
        "Filter",
        (),
        lambda d: d.part(Searching).end_filter(),
        lambda d: d.here.session.is_open and bool(d.here.session.view.only),
        space=True,
    ),
    *(_hierarchy(name) for name in (FOLDERS, *GROUPINGS)),
    _view(
        "hierarchy_table",
        "Group by a table...",
        "Hierarchy",
        (),
        lambda d: d.part(Hierarchies).ask_table(),
        tip="A CSV file with rows path,group[,group...]",
        checked=lambda d: d.here.session.view.hierarchy.startswith(CSV),
    ),
    _view("fit", "Fit view", "View", ("F",), lambda d: d.here.stage.fit(), space=True, first=True),
    _view("top", "View from above", "View", ("T",), lambda d: d.here.stage.toggle_top(), space=True),
    _view(
        "back",
        "View back",
        "View",
        ("Alt+Left",),
        lambda d: d.here.session.go_back(),
        lambda d: d.here.session.can_go_back,
        first=True,
    ),
    _view(
        "forward",
        "View forward",
        "View",
        ("Alt+Right",),
        lambda d: d.here.session.go_forward(),
        lambda d: d.here.session.can_go_forward,
    ),
    *(_named_view(number, which) for number, which in enumerate(WHICH)),
    _view(
        "save_view",
        "Save view as...",
        "Saved views",
        ("Ctrl+K",),
        lambda d: d.part(Navigating).save(),
        tip="Keep place, filters, style and camera under a name, with the plan",
    ),
    Command(
        "manage_views",
        "Manage saved views...",
        "Saved views",
        (),
        lambda d: d.part(Navigating).manage(),
        lambda d: bool(d.session.named),
    ),
    Command(
        "crumbs",
        "Go to the breadcrumb",
        "Select",
        ("Ctrl+L",),
        lambda d: d.part(Navigating).crumbs_asked.emit(),
        tip="Then Left and Right move along it; Down lists the siblings",
    ),
    Command(
        "compare_version",
        "Compare with a version...",
        "History",
        (),
        lambda d: d.part(ComparingVersions).ask(),
        _has_versions,
        tip="Mark what is new, gone, moved, grown and shrunk since a tag, a branch or a commit",
        first=True,
    ),
    Command(
        "compare_plan",
        "Compare with a plan...",
        "History",
        (),
        lambda d: d.part(ComparingVersions).compare_plan(),
        tip="Mark what differs between another plan, of this document or another one, and the plan that is shown",
    ),
    Command(
        "end_comparison",
        "End the comparison",
        "History",
        (),
        lambda d: d.part(ComparingVersions).end(),
        _versions_compared,
        tip="Show the present code and its plan again",
    ),
    _view(
        "changes_only",
        "Changes only",
        "History",
        ("Shift+F7",),
        lambda d: d.part(ComparingVersions).switch_changes_only(),
        lambda d: d.here.session.view.changes_only or _has_changes(d),
        checked=lambda d: d.here.session.view.changes_only,
        tip="Show only what the plan changes, or what differs between two versions, and what lies around it",
    ),
    Command(
        "next_change",
        "Next change",
        "History",
        ("F7",),
        lambda d: d.part(ComparingVersions).step(1),
        _has_changes,
        tip="Select the next node, along the ring, that the plan changes or that differs between the versions",
    ),
    Command(
        "previous_change",
        "Previous change",
        "History",
        ("F8",),
        lambda d: d.part(ComparingVersions).step(-1),
        _has_changes,
    ),
    Command(
        "minimap",
        "Mini-map",
        "View",
        (),
        lambda d: d.part(Navigating).switch_map(),
        _always,
        tip="A small map of the whole picture while only a part is visible",
        checked=lambda d: d.settings.minimap,
    ),
    Command(
        "source",
        "Source",
        "View",
        ("S",),
        lambda d: d.switch(SourcePanel),
        shows=lambda d: d.show(SourcePanel),
        checked=lambda d: d.is_seen(SourcePanel),
        node=True,
        first=True,
        tip="The source of the selection",
    ),
    Command(
        "findings",
        "Findings",
        "View",
        (),
        lambda d: d.switch(FindingsPanel),
        shows=lambda d: d.show(FindingsPanel),
        checked=lambda d: d.is_seen(FindingsPanel),
        tip="What is worth a look, the most important first",
    ),
    Command(
        "unused",
        "Unused code",
        "View",
        ("U",),
        lambda d: d.switch(UnusedPanel),
        shows=lambda d: d.show(UnusedPanel),
        checked=lambda d: d.is_seen(UnusedPanel),
        tip="Sets of code that no entry point reaches",
    ),
    *(_preset(number, which) for number, which in enumerate(WHICH)),
    _view(
        "save_style",
        "Save style as preset...",
        "Presets",
        (),
        lambda d: d.part(Styles).save(),
        first=True,
        tip="Keep metrics, scales and colours under a name",
    ),
    Command(
        "manage_presets",
        "Manage presets...",
        "Presets",
        (),
        lambda d: d.part(Styles).manage(),
        lambda d: bool(d.part(Styles).own),
        tip="Rename, sort and delete your own presets",
    ),
    _view(
        "all_relations",
        "All relations",
        "Relations",
        ("A",),
        lambda d: d.part(Questions).show(mode="all"),
        checked=lambda d: d.part(Questions).filter.mode == "all",
    ),
    _view(
        "of_selection",
        "Of the selection",
        "Relations",
        ("Shift+A",),
        lambda d: d.part(Questions).show(mode="selection"),
        checked=lambda d: d.part(Questions).filter.mode == "selection",
        tip="Only relations of what is selected, or under the pointer while nothing is",
    ),
    _view(
        "indirect",
        "Of the selection, and indirect ones",
        "Relations",
        ("Ctrl+Shift+A",),
        lambda d: d.part(Questions).show(mode="indirect"),
        checked=lambda d: d.part(Questions).filter.mode == "indirect",
        tip="Include transitive relations of the selection",
    ),
    _view(
        "incoming",
        "Incoming only",
        "Relations",
        ("I",),
        lambda d: d.part(Questions).turn("in"),
        first=True,
        checked=lambda d: d.part(Questions).filter.direction == "in",
        tip="Only relations from dependants of the selection",
    ),
    _view(
        "outgoing",
        "Outgoing only",
        "Relations",
        ("O",),
        lambda d: d.part(Questions).turn("out"),
        checked=lambda d: d.part(Questions).filter.direction == "out",
        tip="Only relations to dependencies of the selection",
    ),
    _view(
        "only_cycles",
        "Only in cycles",
        "Relations",
        ("Y",),
        lambda d: d.part(Questions).show(cycles=not d.part(Questions).filter.cycles),
        first=True,
        checked=lambda d: d.part(Questions).filter.cycles,
        tip="Between segments that depend on each other",
    ),
    _view(
        "only_violations",
        "Only violations",
        "Relations",
        ("V",),
        lambda d: d.part(Questions).show(violations=not d.part(Questions).filter.violations),
        checked=lambda d: d.part(Questions).filter.violations,
        tip="Those that break a rule of the project",
    ),
    _view(
        "mark_violations",
        "Mark violations",
        "Relations",
        (),
        lambda d: d.here.session.set_view(mark_violations=not d.here.session.view.mark_violations),
        lambda d: bool(d.session.rules),
        checked=lambda d: d.here.session.view.mark_violations,
        tip="Relations that break a rule are drawn over all others",
    ),
    _view(
        "crossing",
        "Emphasise crossing relations",
        "Relations",
        ("Shift+B",),
        lambda d: d.part(Questions).show(crossing=not d.part(Questions).filter.crossing),
        checked=lambda d: d.part(Questions).filter.crossing,
        tip="The farther apart the ends are in the hierarchy, the stronger a relation is drawn",
    ),
    _view(
        "guesses",
        "Guessed relations",
        "Relations",
        ("G",),
        lambda d: d.here.session.set_view(guesses=not d.here.session.view.guesses),
        lambda d: d.panel(StylePanel).counts.guesses > 0,
        tip=GUESSES,
        first=True,
        checked=lambda d: d.here.session.view.guesses,
    ),
    _view(
        "external",
        "External packages",
        "Relations",
        ("X",),
        lambda d: d.here.session.set_view(external=not d.here.session.view.external),
        lambda d: d.panel(StylePanel).counts.packages > 0,
        tip=PACKAGES,
        checked=lambda d: d.here.session.view.external,
    ),
    _view(
        "without_tests",
        "Without tests",
        "Relations",
        (),
        lambda d: d.here.session.set_view(tests=not d.here.session.view.tests),
        tip="Leave tests out everywhere: picture, lists, cycles, paths, matrix, findings and judgement",
        checked=lambda d: not d.here.session.view.tests,
    ),
    Command(
        "relations",
        "List relations",
        "Relations",
        ("L",),
        lambda d: d.switch(RelationsPanel),
        shows=lambda d: d.show(RelationsPanel),
        checked=lambda d: d.is_seen(RelationsPanel),
        node=True,
        first=True,
        tip="The relations of the selection, with their places in the source",
    ),
    Command(
        "matrix",
        "Dependency matrix",
        "Relations",
        ("D",),
        lambda d: d.switch(MatrixPanel),
        shows=lambda d: d.show(MatrixPanel),
        checked=lambda d: d.is_seen(MatrixPanel),
        tip="Who uses whom, as a table",
    ),
    Command(
        "matrix_page",
        "Matrix in place of the picture",
        "Relations",
        ("Shift+D",),
        lambda d: d.part(MatrixPage).switch(),
        checked=lambda d: d.part(MatrixPage).is_on,
        tip="The dependency matrix gets the room of the picture; the same again brings that back",
    ),
    Command(
        "path",
        "How does A reach B?",
        "Relations",
        ("P",),
        lambda d: d.part(Questions).ask_path(),
        lambda d: d.part(Questions).is_pair(),
        node=True,
        first=True,
        tip="The shortest chains of relations from the node selected first to the other",
    ),
    Command(
        "path_to",
        "Paths from here to...",
        "Relations",
        ("Shift+P",),
        lambda d: d.part(Questions).ask_path_to(),
        _one_chosen,
        node=True,
    ),
    Command(
        "impact",
        "Who is affected?",
        "Relations",
        ("W",),
        lambda d: d.part(Questions).ask_impact(),
        _any_chosen,
        node=True,
        tip="What depends on the selection, directly and transitively",
    ),
    Command(
        "changes_with",
        "What usually changes with this?",
        "Relations",
        (),
        lambda d: d.part(Questions).ask_coupling(),
        _any_chosen,
        node=True,
        tip="What was changed in the same commits as the selection",
    ),
    Command(
        "hide_names",
        "Hide names of people",
        "View",
        (),
        lambda d: d.part(Questions).hide_names(),
        lambda d: d.session.is_open and not d.session.people.must_hide,
        checked=lambda d: d.session.people.must_hide or d.session.people.hides_names,
        tip="Numbers in place of names: in tables, tooltips, tasks and exports",
    ),
    Command("theme", "Switch between light and dark", "View", ("Ctrl+T",), _switch_theme, _always, first=True),
    Command(
        "move_to", "Move to...", "Plan", ("M",), lambda d: d.part(Editing).move_to(), _plannable, node=True, first=True
    ),
    Command(
        "merge_into",
        "Merge into...",
        "Plan",
        ("Shift+M",),
        lambda d: d.part(Editing).merge_into(),
        _plannable,
        node=True,
        tip="Move the content of the selection into something else, and remove what is left",
    ),
    Command(
        "split",
        "Split the dependency...",
        "Plan",
        ("Shift+I",),
        lambda d: d.part(Editing).split(),
        _pair_plannable,
        node=True,
        tip="Lead the dependency between the two selected nodes over a third one: an interface, or a facade",
    ),
    Command(
        "pull_out",
        "Pull out what takes part...",
        "Plan",
        ("Shift+O",),
        lambda d: d.part(Editing).pull_out(),
        _pair_plannable,
        node=True,
        tip="Move those children of one selected node that relate to the other",
    ),
    Command(
        "new_container",
        "Group into new container...",
        "Plan",
        ("N",),
        lambda d: d.part(Editing).new_container(),
        _can_plan,
        node=True,
        space=True,
        tip="Make a container and move the selection there; with nothing selected make an empty one",
    ),
    Command(
        "new_empty",
        "New empty container...",
        "Plan",
        ("Shift+N",),
        lambda d: d.part(Editing).new_empty(),
        _can_plan,
        node=True,
        tip="Make a folder, package, file, class or interface in the selection",
    ),
    Command(
        "rename",
        "Rename...",
        "Plan",
        ("F2",),
        lambda d: d.part(Editing).rename(),
        lambda d: _one_chosen(d) and _can_plan(d),
        node=True,
    ),
    Command(
        "pin_note",
        "Pin a note...",
        "Plan",
        (),
        lambda d: d.part(Editing).pin_note(),
        _one_chosen,
        node=True,
        tip="Note something about the selected node; details and reports show it, the document keeps it",
    ),
    _rule(
        "forbid",
        "Forbid this...",
        "What the first selected node must not use, or the ends of a relation",
        two=True,
        first=True,
    ),
    _rule("layers", "Layers in this order...", "What was selected first is the highest layer", two=True),
    _rule("interface", "Only this may be used from outside...", "The rest of its folder becomes hidden"),
    _rule("protected", "Protect from users...", "Only what is named may use it: the selected nodes after the first"),
    _rule("independence", "Keep independent...", "None of the selected nodes may use another", two=True),
    _rule("new", "New rule...", "Of any kind"),
    Command(
        "rule_undo",
        "Take back the last change of rules",
        "Rule",
        (),
        lambda d: d.part(RuleEditor).undo(),
        lambda d: d.part(RuleEditor).can_undo,
        first=True,
    ),
    Command("remove", "Remove", "Plan", ("Del",), lambda d: d.part(Editing).remove(), _plannable, node=True),
    *(_modules(by) for by in WAYS if by != DEPTH),
    *(_modules(DEPTH, depth) for depth in _LEVELS),
    Command(
        "modules_tests",
        "Count tests",
        "Modules",
        (),
        lambda d: d.part(Editing).judge_by(tests=not d.session.view.modules.tests),
        _can_judge,
        first=True,
        tip="Whether files that are marked as tests count when the plan is judged",
        checked=lambda d: d.session.view.modules.tests,
    ),
    Command(
        "tint_targets",
        "Tint targets while dragging",
        "Plan",
        (),
        lambda d: d.part(Editing).switch_tint(),
        _can_judge,
        first=True,
        tip="Colour possible targets of a drag by what a drop there would gain (+) or lose (−)",
        checked=lambda d: d.settings.tint_targets,
    ),
    Command(
        "proposals",
        "Proposals",
        "Plan",
        (),
        lambda d: d.show(ProposalsPanel),
        tip="Steps of a plan that end cycles, move files where they belong, or group a folder",
    ),
    _view(
        "before_after",
        "Before the plan",
        "Plan",
        ("B",),
        lambda d: d.part(BeforeAfter).switch(),
        _is_compared,
        checked=lambda d: d.here.session.view.before,
        tip="Show what was there before the plan, and the plan again; hold the key for a quick look",
        space=True,
    ),
    _view(
        "planned",
        "Planned changes",
        "Plan",
        (),
        lambda d: d.here.session.set_view(planned=not d.here.session.view.planned),
        tip="Mark what the plan moves, renames, makes and removes, and the places that this leaves",
        checked=lambda d: d.here.session.view.planned,
    ),
    Command(
        "plan_new",
        "New plan...",
        "Plans",
        ("Ctrl+N",),
        lambda d: d.part(PlanCommands).new(),
        tip="Begin another plan for the same code, without any step",
    ),
    Command(
        "plan_branch",
        "Branch from here...",
        "Plans",
        ("Ctrl+B",),
        lambda d: d.part(PlanCommands).branch(),
        tip="Make another plan that begins with the steps of this one",
    ),
    Command(
        "plan_switch",
        "Switch to a plan...",
        "Plans",
        ("Ctrl+P",),
        lambda d: d.part(PlanCommands).choose(),
        _several_plans,
        tip="Show another plan of the document",
    ),
    Command("plan_rename", "Rename the plan...", "Plans", (), lambda d: d.part(PlanCommands).rename()),
    Command(
        "plan_note",
        "Note on the plan...",
        "Plans",
        (),
        lambda d: d.part(PlanCommands).note(),
        tip="Say what the plan is for: it is shown above its tasks, and saved with it",
    ),
    Command(
        "plan_delete",
        "Delete the plan",
        "Plans",
        (),
        lambda d: d.part(PlanCommands).delete(),
        _several_plans,
        tip="Take the plan that is shown out of the document; it can be restored until something else is opened",
    ),
    Command(
        "plan_restore",
        "Restore the deleted plan",
        "Plans",
        (),
        lambda d: d.part(PlanCommands).restore(),
        lambda d: d.part(PlanCommands).can_restore,
        tip="Bring back the plan that was deleted last",
    ),
    Command(
        "plans_compare",
        "Compare plans...",
        "Plans",
        ("Ctrl+D",),
        lambda d: d.part(ComparingPlans).ask(),
        first=True,
        tip="Put two plans side by side, or one and the code as it is: figures, tasks, effort",
    ),
    Command(
        "plan_copy",
        "Copy steps to another plan...",
        "Plans",
        (),
        lambda d: d.part(CopyingSteps).ask(),
        _several_plans,
        tip="Do steps of one plan in another one, too; those that do not fit there are named with the reason",
    ),
    Command(
        "tasks",
        "Show the tasks",
        "Plan",
        (),
        lambda d: d.switch(PlanPanel),
        shows=lambda d: d.show(PlanPanel),
        first=True,
        checked=lambda d: d.is_seen(PlanPanel),
        tip="What the plan changes, as a list of tasks with their places",
    ),
    Command("save", "Save plan", "Plan", ("Ctrl+S",), lambda d: d.part(Documents).save()),
    Command("save_as", "Save plan as...", "Plan", ("Ctrl+Shift+S",), lambda d: d.part(Documents).save_as()),
    Command(
        "export_tasks", "Export tasks...", "Plan", ("Ctrl+E",), lambda d: d.part(Documents).export_tasks(), _is_planned
    ),
    Command(
        "plan_apply",
        "Carry out the plan...",
        "Plan",
        (),
        lambda d: d.part(PlanApplying).ask(),
        lambda d: d.part(PlanApplying).is_possible,
        tip="Change the code as planned, on a new branch or as a patch, with one commit for each task",
    ),
    Command(
        "timeline",
        "Timeline",
        "History",
        ("Shift+T",),
        lambda d: d.panel(TimelinePanel).toggle(),
        checked=lambda d: d.panel(TimelinePanel).is_seen,
        tip="Commits over time under the picture; the range that is chosen there is what the picture shows",
    ),
    Command(
        "play_history",
        "Play the history",
        "History",
        ("K",),
        lambda d: d.show(TimelinePanel).play(),
        _has_commits,
        checked=lambda d: d.panel(TimelinePanel).playing.runs,
        tip="Let the range slide to the end of the history, or pause",
    ),
    Command(
        "changes_together",
        "Changes together",
        "History",
        (),
        lambda d: d.switch(CouplingPanel),
        checked=lambda d: d.is_seen(CouplingPanel),
        tip="Files and folders that change in the same commits, though nothing in the code may say so",
    ),
    Command(
        "people",
        "People",
        "History",
        (),
        lambda d: d.switch(PeoplePanel),
        checked=lambda d: d.is_seen(PeoplePanel),
        tip="Who knows which folder, and whom to ask",
    ),
    Command(
        "evolution",
        "Evolution",
        "History",
        (),
        lambda d: d.switch(EvolutionPanel),
        checked=lambda d: d.is_seen(EvolutionPanel),
        tip="Size, complexity, cycles and hot spots over earlier versions, and what became worse",
    ),
    Command(
        "look_back",
        "Read earlier versions",
        "History",
        (),
        lambda d: d.panel(EvolutionPanel).look_back(),
        _has_commits,
        tip="From git, in the background: Details and Evolution show figures over time then",
    ),
    *(_time_range(choice) for choice in CHOICES),
    Command(
        "previous_release",
        "Release before",
        "History",
        ("[",),
        lambda d: d.panel(TimelinePanel).step_release(-1),
        _has_releases,
        first=True,
        tip="The time of the work on the release before this range's end",
    ),
    Command(
        "next_release",
        "Next release",
        "History",
        ("]",),
        lambda d: d.panel(TimelinePanel).step_release(1),
        _has_releases,
        tip="The time of the work on the next release",
    ),
    Command(
        "pin_range",
        "Pin the range",
        "History",
        (),
        lambda d: d.panel(TimelinePanel).pin(),
        _has_commits,
        first=True,
        checked=lambda d: _has_commits(d) and d.panel(TimelinePanel).span in d.session.time_ranges.pinned,
        tip="Keep it, to compare other ranges with it",
    ),
    _view(
        "changed_more",
        "Show what changed more than before",
        "History",
        (),
        lambda d: d.here.session.map("color", "more_changes"),
        _has_commits,
        checked=lambda d: d.here.session.view.mapping.color == "more_changes",
        tip="Colour: commits in the range, compared with the pinned range or with as long a time before",
    ),
    Command(
        "open_trace",
        "Open trace...",
        "Traces",
        ("Ctrl+Shift+R",),
        lambda d: d.part(Tracing).ask(),
        _always,
        tip="Lay a recorded run over the code: calls, times and coverage; or choose the profiles of many runs",
    ),
    Command(
        "open_trace_folder",
        "Open trace folder...",
        "Traces",
        (),
        lambda d: d.part(Tracing).ask_folder(),
        _always,
        tip="A folder that `cbvtool trace record` wrote, or uftrace; or one with a profile for each of many runs",
    ),
    Command(
        "record_program",
        "Record a program...",
        "Traces",
        (),
        lambda d: d.part(Recording).ask(),
        tip="Run a Python program that you name, record its calls, and lay them over the code",
    ),
    Command("close_trace", "Close trace", "Traces", (), lambda d: d.session.traces.close(), _has_coverage),
    Command(
        "traces",
        "Show the traces",
        "Traces",
        (),
        lambda d: d.switch(TracesPanel),
        shows=lambda d: d.show(TracesPanel),
        checked=lambda d: d.is_seen(TracesPanel),
        first=True,
        tip="What was recorded, the window of time, and what was called in it",
    ),
    Command(
        "whole_trace",
        "Show the whole trace",
        "Traces",
        (),
        lambda d: d.part(Tracing).show_whole(),
        lambda d: d.session.traces.focus.window is not None,
        tip="End the restriction to a window of time",
    ),
    _view(
        "calls_as_heights",
        "Show calls and times",
        "Traces",
        (),
        lambda d: d.part(Tracing).show_calls(),
        _has_trace,
        first=True,
        tip="Height: run-time calls. Colour: self time. Thickness of relations: calls",
    ),
    _view(
        "coverage_as_colours",
        "Show coverage",
        "Traces",
        (),
        lambda d: d.part(Tracing).show_coverage(),
        _has_coverage,
        tip="Colour: how much of the code was run",
    ),
    _view(
        "only_run_time",
        "Only calls not in the source",
        "Traces",
        (),
        lambda d: d.part(Questions).show(evidence=_other(d, "run")),
        _has_trace,
        first=True,
        checked=lambda d: d.part(Questions).filter.evidence == "run",
        tip="Calls at run time that the source has no call for",
    ),
    _view(
        "only_source",
        "Only calls that did not happen",
        "Traces",
        (),
        lambda d: d.part(Questions).show(evidence=_other(d, "source")),
        _has_trace,
        checked=lambda d: d.part(Questions).filter.evidence == "source",
        tip="Calls in the source that were not made in the window of time",
    ),
    Command(
        "trace_rules",
        "Apply rules to run-time calls",
        "Traces",
        (),
        lambda d: d.session.traces.apply_rules(not d.session.traces.rules_apply),
        lambda d: _has_trace(d) and d.session.rules is not None,
        first=True,
        checked=lambda d: d.session.traces.rules_apply,
        tip="Calls that were made at run time must keep the rules of the project, too",
    ),
    Command(
        "weigh_by_calls",
        "Weigh plans by run-time calls",
        "Traces",
        (),
        lambda d: d.session.traces.weigh(not d.session.traces.weigh_plans),
        _has_trace,
        checked=lambda d: d.session.traces.weigh_plans,
        tip="When plans and drags are judged, a dependency weighs the calls that went along it",
    ),
    Command("guide", "Guide", "Help", ("F1",), show_guide, _always, tip="How to use cbvtool, in a window beside it"),
    Command("shortcuts", "All shortcuts...", "Help", ("?",), show_shortcuts, _always),
    Command("change_keys", "Change shortcuts...", "Help", (), lambda d: d.part(Navigating).change_keys(), _always),
    Command(
        "diagnostics",
        "Copy diagnostics",
        "Help",
        (),
        lambda d: d.part(Linking).copy_diagnostics(),
        _always,
        first=True,
        tip="Versions and sizes for a bug report; no names of yours",
    ),
    Command("about", "About cbvtool", "Help", (), _about, _always, first=True),
)

for row in ROWS:
    COMMANDS.add(row)
