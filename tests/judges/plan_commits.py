"""Compares task lists with what people changed: real commits that moved or renamed something, planned on their parent.

    python -m tests.judges.plan_commits [--code LANGUAGE] [--count N] [--cache FOLDER] [--show COMMIT] [REPOSITORY ...]

REPOSITORY is a git repository with its history, bare or not; without any, those of DEFAULT are cloned into the cache
(some hundred MB). LANGUAGE is python, java, javascript (with TypeScript) or c; without it, all four. Per language, N
commits (20) that move or rename files and half as many that rename a function or class, each with 1 to 60 real lines
(`tests/judges/real_lines.py` has the rules of each language), are taken as they come by order of commit id, from all
repositories alike. On the parent of each the same plan is made by `cbvtool.plan`, and the sites of its task list are
compared with the real lines.

    recall           real lines (in code and in strings) that are sites, must or check
    recall of must   real lines in code that are sites that must change
    precision        sites that must change, that are real lines, or were taken out with the old name
    check per must   sites to check for each that must change

Left out of the first three are the files that are moved, or that define what is renamed: their own lines are no other
files' lines. Sites where a line is to be added have no line: the files that they name are compared with the files to
which the commit added a line with the new name. `texts` are changed lines of other files (build files, configuration,
documentation) that hold the old name, and how many of them are sites.

Prints a Markdown table, then every miss (`missed`: a real line that is no site; `only checked`: one that is a site to
check; `not real`: a site that must change and is not real; `in a string`: missed in a string), with commit, file, line
and text. Exit status 1 when a figure of a language is below what is asked for.

What the analysis found for a parent is kept in the cache until the code of the analysis changes.
"""

from __future__ import annotations

import argparse
import pickle
import posixpath
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from cbvtool.graph import Graph
from cbvtool.plan import Create, History, Move, Operation, Rename, group
from cbvtool.plan.compress import compress
from cbvtool.plan.sites.files import folder_code
from cbvtool.plan.sites.find import find_sites
from cbvtool.plan.sites.site import Site
from tests.judges.commits import SUFFIXES, Commit, Repository
from tests.judges.kept_graphs import analysed, digest_of
from tests.judges.real_lines import Place, Real, Tree, gone, holds, real_lines, replaced

DEFAULT = {
    "python": ("pallets/flask", "pallets/click", "psf/requests", "encode/httpx", "python-trio/trio", "celery/celery"),
    "java": ("apache/commons-collections", "apache/commons-lang", "google/gson", "jhy/jsoup"),
    "javascript": ("vuejs/core", "expressjs/express", "mochajs/mocha", "prettier/prettier"),
    "c": ("libuv/libuv", "redis/redis", "curl/curl", "nanomsg/nng", "mpv-player/mpv"),
}
FEWEST, MOST = 1, 60  # real lines of a commit
RECALL, RECALL_OF_MUST, RECALL_OF_METHODS, PRECISION, CHECKS = 0.95, 0.90, 0.7, 0.90, 1.0
LOOSE = ("python", "javascript")  # languages whose methods are found by name alone
LONGEST = 110  # characters of a line that is printed
HEADER = """\
| language | kind | commits | real lines | recall | recall of must | must | precision | check per must | lines to add: \
real, found, right | in strings | texts |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


@dataclass
class Score:
    """Counts of some commits, added up."""

    commits: int = 0
    real: int = 0  # in code
    strings: int = 0
    found: int = 0  # of real and strings: must or check
    found_strings: int = 0
    found_must: int = 0  # of real: must
    must: int = 0  # in other files
    right: int = 0  # of must
    all_must: int = 0  # with those in the file itself, and lines to add
    all_checks: int = 0
    to_add: int = 0  # files to which the commit added a line with the new name
    add_found: int = 0  # of to_add
    adds: int = 0  # files to which a line is to be added
    texts: int = 0
    texts_found: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """Recall, recall of must, precision, checks per must."""
        return (
            ratio(self.found, self.real + self.strings),
            ratio(self.found_must, self.real),
            ratio(self.right, self.must),
            self.all_checks / self.all_must if self.all_must else float(self.all_checks),
        )

    def row(self, code: str, kind: str) -> str:
        recall, of_must, precision, checks = self.figures
        return (
            f"| {code} | {kind} | {self.commits} | {self.real + self.strings} | {recall:.3f} | {of_must:.3f} "
            f"| {self.must} | {precision:.3f} | {checks:.2f} | {self.to_add}, {self.add_found}, {self.adds} "
            f"| {self.found_strings} of {self.strings} | {self.texts_found} of {self.texts} |"
        )


def ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="*", type=Path)
    parser.add_argument("--code", choices=sorted(SUFFIXES))
    parser.add_argument("--count", type=int, default=20, help="commits of each language that move files")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "judge-plan")
    parser.add_argument("--show", default="", help="only the commit whose id begins so, with all its sites")
    parser.add_argument("--kind", choices=("moves", "renames"))
    options = parser.parse_args(arguments)
    options.cache.mkdir(parents=True, exist_ok=True)
    print(HEADER, flush=True)
    bad = False
    misses: list[str] = []
    for code in [options.code] if options.code else sorted(SUFFIXES):
        paths = options.repository or [cloned(name, options.cache) for name in DEFAULT[code]]
        repositories = [Repository(path) for path in paths]
        totals: dict[str, Score] = {}
        for kind, count in (("moves", options.count), ("renames", (options.count + 1) // 2)):
            if options.kind in (None, kind):
                for repository, commit, real in chosen(repositories, code, kind, count, options.cache, options.show):
                    score, what = judge(repository, code, commit, real, options.cache, bool(options.show))
                    total = totals.setdefault(what, Score())
                    total.add(score)
        for what, score in sorted(totals.items()):
            print(score.row(code, what), flush=True)
            misses += score.misses
        if totals:
            print(total_of(totals.values()).row(code, "all"), flush=True)
            bad |= not reaches(totals, code)
    print(*misses, sep="\n")
    return int(bad)


def total_of(scores: Iterable[Score]) -> Score:
    """The counts of all of them."""
    total = Score()
    for score in scores:
        total.add(score)
    return total


def reaches(totals: Mapping[str, Score], code: str) -> bool:
    """Whether the figures of a language are what is asked for; methods that are found by name alone may lack more."""
    recall, _, precision, checks = total_of(totals.values()).figures
    others = total_of(score for what, score in totals.items() if what != "method" or code not in LOOSE)
    methods = totals.get("method", Score())
    return (
        recall >= RECALL
        and precision >= PRECISION
        and checks <= CHECKS
        and others.figures[1] >= RECALL_OF_MUST
        and methods.figures[1] >= RECALL_OF_METHODS
    )


def cloned(name: str, cache: Path) -> Path:
    """A bare clone of a repository on GitHub, made where there is none."""
    path = cache / f"{name.replace('/', '+')}.git"
    if not path.exists():
        subprocess.run(["git", "clone", "--quiet", "--bare", f"https://github.com/{name}", str(path)], check=True)
    return path


# -- commits ---------------------------------------------------------------------------------------------------------


def chosen(
    repositories: Sequence[Repository], code: str, kind: str, count: int, cache: Path, only: str
) -> Iterator[tuple[Repository, Commit, Real]]:
    """The first commits that qualify, from all repositories alike: an equal share of each, then what some lack."""
    streams = [qualifying(repository, code, kind, cache, only) for repository in repositories]
    taken = 0
    while streams and taken < count:
        for stream in list(streams):
            found = next(stream, None)
            if found is None:
                streams.remove(stream)
            elif taken < count:
                taken += 1
                yield found


def qualifying(
    repository: Repository, code: str, kind: str, cache: Path, only: str
) -> Iterator[tuple[Repository, Commit, Real]]:
    """Commits with 1 to 60 real lines, by order of commit id. What was looked at is kept in the cache."""
    named = [repository.commit(code, only, kind == "moves")] if only else remembered(repository, code, kind, cache)
    for commit in named:
        if commit is not None and not replaced(code, commit, frozenset(repository.files(commit.sha))):
            real = reality(repository, code, commit)
            if FEWEST <= len(real.code) <= MOST:
                yield repository, commit, real


def remembered(repository: Repository, code: str, kind: str, cache: Path) -> Iterator[Commit]:
    """The commits of `Repository.commits`, those asked for before from the cache."""
    digest = digest_of([Path(__file__).with_name("commits.py")])
    file = cache / f"{repository.name}-{code}-{kind}-{digest}.commits"
    known: list[Commit] = pickle.loads(file.read_bytes()) if file.exists() else []
    yield from known
    for commit in islice(repository.commits(code, kind == "moves"), len(known), None):
        known.append(commit)
        file.write_bytes(pickle.dumps(known))
        yield commit


class Texts(Mapping[str, str]):
    """Texts of a commit's files, read when asked for."""

    def __init__(self, repository: Repository, sha: str) -> None:
        self._repository, self._sha = repository, sha

    def __getitem__(self, path: str) -> str:
        return self._repository.text(self._sha, path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._repository.files(self._sha))

    def __len__(self) -> int:
        return len(self._repository.files(self._sha))


def reality(repository: Repository, code: str, commit: Commit) -> Real:
    """The real lines of a commit."""
    before, after = (
        Tree(frozenset(repository.files(sha)), Texts(repository, sha)) for sha in (commit.parent, commit.sha)
    )
    return real_lines(code, commit, before, after)


# -- plans -----------------------------------------------------------------------------------------------------------


def operations(graph: Graph, commit: Commit, code: str) -> tuple[list[Operation], list[str]]:
    """The plan that does what the commit did, and what of it the graph does not have.

    A folder of which every file went the same way is moved or renamed as a whole.
    """
    made: dict[str, str] = {}
    plan: list[Operation] = []
    lacking: list[str] = []
    everything = {change.old: change.new for change in commit.changes if change.old and change.new != change.old}
    everything = {old: new for old, new in everything.items() if new}
    folders = whole_folders(graph, everything)
    seen: set[str] = set()
    for path in commit.moved:
        old = next((folder for folder in folders if path.startswith(f"{folder}/")), path)
        if old in seen:
            continue
        seen.add(old)
        new = folders.get(old) or commit.moved[old]
        if old not in graph.key_of:
            lacking.append(old)
            continue
        if posixpath.dirname(old) != posixpath.dirname(new):
            target = folder_node(graph, posixpath.dirname(new), made, plan)
            plan.append(Move((old,), target))
        if posixpath.basename(old) != posixpath.basename(new):
            plan.append(Rename(old, posixpath.basename(new)))
            stems = tuple(posixpath.splitext(posixpath.basename(p))[0] for p in (old, new))
            if code == "java" and old == path and f"{old}::{stems[0]}" in graph.key_of and stems[0] != stems[1]:
                plan.append(Rename(f"{old}::{stems[0]}", stems[1]))
    for definition in commit.defined:
        key = defined(graph, definition.file, definition.line, definition.old)
        if key < 0:
            lacking.append(f"{definition.file}::{definition.old}")
        else:
            plan.append(Rename(graph.ids[key], definition.new))
    return list(dict.fromkeys(plan)), lacking


def whole_folders(graph: Graph, moved: Mapping[str, str]) -> dict[str, str]:
    """Topmost folders of which every file moved along, to places that are not there yet -> those places."""
    found: dict[str, str] = {}
    for old, new in moved.items():
        while posixpath.basename(old) == posixpath.basename(new):
            old, new = posixpath.dirname(old), posixpath.dirname(new)
            if not old or not new or old == new:
                break
            found[old] = new
    whole: dict[str, str] = {}
    for old, new in sorted(found.items()):
        inside = files_below(graph, old)
        goes = all(moved.get(path) == new + path.removeprefix(old) for path in inside)
        if goes and inside and new not in graph.key_of and not any(old.startswith(f"{top}/") for top in whole):
            whole[old] = new
    return whole


def files_below(graph: Graph, folder: str) -> list[str]:
    """Paths of the files below a folder of the graph."""
    if folder not in graph.key_of:
        return []
    inside = graph.subtree(graph.key_of[folder]).tolist()
    return [graph.ids[key] for key in inside if graph.kind(key) == "file"]


def folder_node(graph: Graph, path: str, made: dict[str, str], plan: list[Operation]) -> str:
    """The node of a folder; where there is none, it is created by the plan."""
    if not path:
        return graph.ids[graph.root]
    if path in graph.key_of:
        return path
    if path not in made:
        parent = folder_node(graph, posixpath.dirname(path), made, plan)
        made[path] = f"plan:{len(made) + 1}"
        plan.append(Create(made[path], parent, posixpath.basename(path), "folder"))
    return made[path]


def defined(graph: Graph, file: str, line: int, name: str) -> int:
    """Key of what is called `name` in a file, nearest to a line; -1 = nothing is."""
    if file not in graph.key_of:
        return -1
    inside = graph.subtree(graph.key_of[file]).tolist()
    keys = [key for key in inside[1:] if graph.names[key].rpartition("::")[2].rpartition(".")[2] == name]
    return min(keys, key=lambda key: abs(int(graph.line[key]) - line), default=-1)


# -- the verdict -----------------------------------------------------------------------------------------------------


def judge(repository: Repository, code: str, commit: Commit, real: Real, cache: Path, show: bool) -> tuple[Score, str]:
    """The counts of one commit, and its row: `file`, `function`, `method` or `class`."""
    folder = cache / "work" / repository.name
    graph = analysed(repository, commit.parent, folder, cache)
    plan, lacking = operations(graph, commit, code)
    history = History(graph).do(group(graph, *plan))
    what = kind_of(graph, commit)
    refused = [f"{refusal.operation}: {refusal.reason}" for refusal in history.refusals]
    repository.check_out(commit.parent, folder)
    sites: tuple[Site, ...] = ()
    if plan and len(refused) < len(plan):
        sites = find_sites(graph, history.graph, compress(history), folder_code(folder, graph))
    score = compared(repository, code, commit, real, sites)
    at = f"{code} {what} {repository.name} {commit.sha[:10]}"
    score.misses = [f"{at} {miss}" for miss in score.misses]
    score.misses += [f"{at} not in the graph: {node}" for node in lacking] + [
        f"{at} refused: {text}" for text in refused
    ]
    if show:
        print(*plan, *(f"real {place}: {line.strip()}" for place, line in real.code.items()), *sites, sep="\n")
    return score, what


def kind_of(graph: Graph, commit: Commit) -> str:
    """What a commit moves or renames."""
    if commit.moved:
        return "file"
    definition = commit.defined[0]
    key = defined(graph, definition.file, definition.line, definition.old)
    if key < 0 or graph.kind(key) != "function":
        return "class" if key >= 0 else "function"
    return "function" if graph.kind(int(graph.parent[key])) in ("file", "namespace", "module") else "method"


def compared(repository: Repository, code: str, commit: Commit, real: Real, sites: Iterable[Site]) -> Score:
    """Count the sites beside the real lines."""
    own = set(commit.moved) | {definition.file for definition in commit.defined}
    definitions = {(definition.file, definition.line) for definition in commit.defined}
    must: dict[Place, Site] = {}
    check: dict[Place, Site] = {}
    adds: set[str] = set()
    score = Score(commits=1)
    for site in sites:
        if site.line is None:
            score.all_must += site.certainty == "must"
            if site.kind == "add-import" and site.file not in own:
                adds.add(site.file)
        else:
            (must if site.certainty == "must" else check).setdefault((site.file, site.line), site)
    check = {place: site for place, site in check.items() if place not in must}
    score.all_must += len(must)
    score.all_checks = len(check)
    everything = {*real.code, *real.strings, *real.texts, *gone(commit)}

    for place, text in {**real.code, **real.strings}.items():
        in_string = place in real.strings
        score.strings += in_string
        score.real += not in_string
        score.found += place in must or place in check
        score.found_strings += in_string and (place in must or place in check)
        score.found_must += not in_string and place in must
        if place not in must and (place not in check or not in_string):
            word = "only checked" if place in check else "in a string" if in_string else "missed"
            score.misses.append(f"{word} {place[0]}:{place[1]} {shown(text)}")
    for place, site in must.items():
        if place[0] in own or place in definitions:
            continue
        score.must += 1
        score.right += place in everything
        if place not in everything:
            line = repository.text(commit.parent, place[0]).split("\n")[place[1] - 1 : place[1]]
            score.misses.append(f"not real {place[0]}:{place[1]} {site.kind} {shown(*line)}")
    score.texts = len(real.texts)
    score.texts_found = sum(place in must or place in check for place in real.texts)
    added = files_with_new_imports(code, commit) - own
    score.to_add, score.adds, score.add_found = len(added), len(adds), len(added & adds)
    score.misses += [f"no line to add {file}" for file in sorted(added - adds)]
    score.misses += [f"line to add is not real {file}" for file in sorted(adds - added)]
    return score


def files_with_new_imports(code: str, commit: Commit) -> set[str]:
    """Files to which the commit added an import of a moved Java class, and removed none of it."""
    if code != "java":
        return set()
    found = set()
    for old, new in commit.moved.items():
        stems = [posixpath.splitext(posixpath.basename(path))[0] for path in (old, new)]
        for change in commit.changes:
            ends = [
                any(line.lstrip().startswith("import ") and holds(line, stem) for line in lines)
                for lines, stem in (
                    ([line for hunk in change.hunks for line in hunk.removed], stems[0]),
                    ([line for hunk in change.hunks for line in hunk.added], stems[1]),
                )
            ]
            if change.old and ends == [False, True]:
                found.add(change.old)
    return found


def shown(text: str = "") -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


if __name__ == "__main__":
    sys.exit(main())
