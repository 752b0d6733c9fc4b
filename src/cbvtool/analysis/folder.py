"""From a folder to its graph: list the files, read those that are not cached, resolve, build."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.analysis.again import Earlier
from cbvtool.analysis.attended import TooMuch
from cbvtool.analysis.cache import Cache, Stamp, default_folder, facts_key, fingerprint, open_cache
from cbvtool.analysis.dividing import is_staged, resolved, structure
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import C_FAMILY, HEADER, LANGUAGES, Language, language_of
from cbvtool.analysis.languages.c.headers import BEGINNING, included, looks_like_header, may_be_header
from cbvtool.analysis.live import LiveAnalysis
from cbvtool.analysis.patterns import Patterns
from cbvtool.analysis.pool import Outcome, ReadTask, Workers, read_all, uncollected
from cbvtool.analysis.read import SOURCE_LIMIT, digest
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.settings import MARKS, AnalysisSettings, read_settings
from cbvtool.analysis.walk import FoundFile, LeftOut, Listing, readable, reason_of, walk
from cbvtool.errors import Cancelled, InputError
from cbvtool.links import real_path
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import Unreadable, read_beginning, read_bytes

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cbvtool.graph import Graph, LanguageShare

FIRST_BYTES = 2_000_000  # with more source to read (some seconds), a first graph of imports is made before
FLOW_USES = 200_000  # with more uses to resolve (some seconds), a graph without calls is made before
# A file that changes twice within one tick of the file system's clock keeps its stamp. No known clock ticks slower.
_SETTLED = 2_000_000_000  # ns


def analyze_folder(
    path: Path,
    jobs: int | None = None,
    progress: Progress = silent,
    *,
    cache: Path | bool = False,
    config: Path | None = None,
    executor: Executor | None = None,
    on_first: Callable[[Graph], None] | None = None,
    known_as: str = "",
    live: LiveAnalysis | None = None,
) -> Graph:
    """See `cbvtool.analysis.analyze`."""
    root = existing_folder(path)
    settings = read_settings(root, config)
    subject = _Subject(root, settings, walk(root, progress, settings), known_as or str(root))
    if not subject.files:
        raise InputError(_nothing_in(root, subject.listing))
    with open_cache(cache if isinstance(cache, Path) else default_folder() if cache else None) as memory:
        graph = memory.graph(subject.known_as, subject.state)
        if graph is None:
            with Workers(jobs) as workers:
                analysis = _Analysis(subject, memory, progress, jobs, executor, workers, live)
                with uncollected() if live else nullcontext():
                    graph = analysis.run(on_first)
            memory.notes += analysis.notes
    if memory.notes:  # these notes concern this run, not the folder
        graph = graph.with_(report=replace(graph.report, notes=(*graph.report.notes, *memory.notes)))
    return graph


@dataclass(frozen=True)
class _Subject:
    """The folder to analyse with its options; `known_as` is its name in the cache."""

    root: Path
    settings: AnalysisSettings
    listing: Listing
    known_as: str

    @property
    def files(self) -> list[FoundFile]:
        """All files; the position in this list is a file's row."""
        return self.listing.files

    @cached_property
    def above(self) -> tuple[str, ...]:
        """See `packages_above`."""
        return packages_above(self.root)

    def like(self, patterns: Sequence[str]) -> frozenset[int]:
        """Rows of the files that match `patterns`, in supported languages."""
        wanted = Patterns(patterns)
        return frozenset(row for row in self.languages if self.files[row].path in wanted)

    @cached_property
    def languages(self) -> dict[int, Language]:
        """Row -> language, for files in supported languages."""
        known = ((row, language_of(file.path)) for row, file in enumerate(self.files))
        found = {row: language for row, language in known if language is not None}
        return found | dict.fromkeys(self.headers, HEADER)

    @cached_property
    def headers(self) -> frozenset[int]:
        """Rows of files without a suffix that may be C++ headers; empty if no other file is C or C++."""
        known = filter(None, (language_of(file.path) for file in self.files))
        if all(language.resolver != C_FAMILY for language in known):
            return frozenset()
        return frozenset(
            row
            for row, file in enumerate(self.files)
            if may_be_header(file.path) and looks_like_header(_beginning(os.path.join(self.root, file.path)))
        )

    @cached_property
    def state(self) -> bytes:
        """Digest of everything that the graph depends on."""
        found = hashlib.blake2b(fingerprint(), digest_size=16)
        found.update(repr((self.root.name, self.above, self.settings, self.listing.left_out)).encode())
        found.update(repr((self.listing.notes(), self.listing.links)).encode())
        for file in self.files:
            found.update(f"{file.path}\0{file.size}\0{file.stamp}\0".encode("utf-8", "surrogateescape"))
        return found.digest()

    def task(self, row: int, shallow: bool = False) -> ReadTask:
        """The task of reading the file in that row."""
        file = self.files[row]
        return ReadTask(os.path.join(self.root, file.path), self.languages[row].reader, file.size, shallow)

    def key(self, row: int, content: bytes) -> bytes:
        """The cache key for the facts of a file whose content has this digest."""
        return facts_key(self.languages[row].reader, os.path.basename(self.files[row].path), content)


class _Analysis:
    """One analysis; `notes` describe problems that it worked around."""

    def __init__(
        self,
        subject: _Subject,
        memory: Cache,
        progress: Progress,
        jobs: int | None,
        executor: Executor | None,
        workers: Workers,
        live: LiveAnalysis | None = None,
    ) -> None:
        self.subject, self.memory, self.progress, self.jobs, self.executor = subject, memory, progress, jobs, executor
        self.workers, self.live = workers, live
        self.notes: list[str] = []

    def run(self, on_first: Callable[[Graph], None] | None) -> Graph:
        """The graph.

        If reading takes long, `on_first` first gets a graph of imports alone; if finding calls does, one without calls.
        """
        subject, memory, started = self.subject, self.memory, time.time_ns()
        outcomes = self._remembered()
        missing = [row for row in subject.languages if row not in outcomes]
        if on_first and sum(min(subject.files[row].size, SOURCE_LIMIT) for row in missing) > FIRST_BYTES:
            on_first(self._graph(outcomes | self._read(missing, shallow=True)))
        outcomes |= self._read(missing)
        if on_first and self._flow_takes_long(outcomes, missing):
            on_first(self._graph(outcomes, without_calls=True))
        contents = {row: outcome.digest for row, outcome in outcomes.items() if outcome.digest}
        earlier = Earlier(memory, subject.known_as, contents) if memory.remembers else None
        graph = self._graph(outcomes, earlier)
        if earlier:
            earlier.keep()
        stamps = {
            file.path: Stamp(file.size, *file.stamp[:2], file.stamp[2], outcomes[row].digest)
            for row in outcomes
            if outcomes[row].digest and _is_settled(file := subject.files[row], started)
        }
        # Without a digest, the outcome may differ next time, for example after a killed worker.
        certain = all(outcome.digest or subject.files[row].size > SOURCE_LIMIT for row, outcome in outcomes.items())
        lasting = certain and all(_is_settled(file, started) for file in subject.files)
        memory.keep(subject.known_as, stamps, subject.state, graph if lasting else None)
        if self.live:
            self.live.stamps = stamps
            self.live.facts = {subject.key(row, outcomes[row].digest): outcomes[row].facts for row in contents}
        return graph

    @uncollected()
    def _remembered(self) -> dict[int, Outcome]:
        """The cached outcomes of files that have not changed, by row."""
        subject, memory = self.subject, self.memory
        known = dict(self.live.facts) if self.live else {}
        if not known and not memory.holds_facts:
            return {}
        stamps = (self.live and self.live.stamps) or memory.stamps(subject.known_as)
        digests: dict[int, bytes] = {}
        for done, row in enumerate(subject.languages):
            file = subject.files[row]
            self.progress("Looking for changes", done, len(subject.languages))
            stamp = stamps.get(file.path)
            if stamp is not None and stamp[:4] == (file.size, *file.stamp):
                digests[row] = stamp.digest
            elif file.size <= SOURCE_LIMIT:
                try:
                    digests[row] = digest(read_bytes(os.path.join(subject.root, file.path), SOURCE_LIMIT))
                except Unreadable:
                    continue  # the reader of the file will report the reason
        keys = {row: subject.key(row, content) for row, content in digests.items()}
        known |= memory.facts(keys.values() - known.keys())
        return {row: Outcome(known[key], digests[row]) for row, key in keys.items() if key in known}

    def _read(self, rows: list[int], shallow: bool = False) -> dict[int, Outcome]:
        """Read the files of `rows`. All facts are cached, even if this is cancelled half-way."""
        offers = self.memory.remembers or self.live is not None
        tasks = [self.subject.task(row, shallow)._replace(offers=offers) for row in rows]
        outcomes: dict[int, Outcome] = {}
        for i, outcome in read_all(
            tasks, self.jobs, self.progress, executor=self.executor, note=self.notes.append, workers=self.workers
        ):
            outcomes[rows[i]] = outcome
            if outcome.digest and not shallow:
                self.memory.add_facts(self.subject.key(rows[i], outcome.digest), outcome.facts)
        return outcomes

    def _flow_takes_long(self, outcomes: Mapping[int, Outcome], missing: Sequence[int]) -> bool:
        """Whether finding the calls takes much longer than all else, so that a graph without them is worth making."""
        languages = self.subject.languages
        staged = {name for name in {languages[row].resolver for row in missing} if is_staged(name)}
        uses = (
            len(found.uses)
            for row, outcome in outcomes.items()
            if languages[row].resolver in staged and isinstance(found := outcome.facts, FileFacts)
        )
        return sum(uses) > FLOW_USES

    @uncollected()
    def _graph(
        self, outcomes: Mapping[int, Outcome], earlier: Earlier | None = None, without_calls: bool = False
    ) -> Graph:
        """The graph. `without_calls`: only relations that do not need values to be followed."""
        subject, files = self.subject, self.subject.files
        facts: dict[int, FileFacts] = {}
        left_out = [*subject.listing.left_out]
        strangers = self._strangers(outcomes)
        for row in sorted(outcomes.keys() - strangers):
            if isinstance(found := outcomes[row].facts, str):
                left_out.append(LeftOut(files[row].id, found))
            else:
                facts[row] = found
        resolutions = _resolve(subject, facts, self.workers, self.progress, earlier, without_calls, self.live)
        notes = [*subject.settings.notes, *subject.listing.notes()]
        notes += [note for resolution in resolutions for note in resolution.notes]
        if not subject.languages:
            notes.append(
                f"Nothing in {readable(subject.root.name)!r} is in a language that is read in depth: "
                "its files are shown with their size alone."
            )

        # NumPy loads here, while workers would wait for it above
        from cbvtool.analysis.build import build_graph
        from cbvtool.graph import Configuration

        self.progress("Building the graph", 0, 0)
        said = subject.settings
        graph = build_graph(
            readable(subject.root.name),
            files,
            facts,
            resolutions,
            sorted(left_out),
            notes,
            marks={name: subject.like(getattr(said, of)) for name, of in MARKS.items()},
            languages=_shares(subject.languages, facts),
            entry_points=said.entry_points,
        )
        configurations = tuple(Configuration(name, patterns) for name, patterns in said.configurations.items())
        return graph.with_(report=replace(graph.report, configurations=configurations)) if configurations else graph

    def _strangers(self, outcomes: Mapping[int, Outcome]) -> frozenset[int]:
        """Possible headers that no C or C++ file includes: they are not headers."""
        subject = self.subject
        if not subject.headers:
            return frozenset()
        facts = {
            row: found
            for row, language in subject.languages.items()
            if language.resolver == C_FAMILY and row in outcomes and isinstance(found := outcomes[row].facts, FileFacts)
        }
        return subject.headers - included(subject.headers, [file.path for file in subject.files], facts)


def _beginning(path: str) -> bytes:
    try:
        return read_beginning(path, BEGINNING)
    except Unreadable:
        return b""


def _is_settled(file: FoundFile, now: int) -> bool:
    """Whether any change of `file` after the time `now`, in ns, would show in its stamp."""
    return max(file.stamp[:2]) < now - _SETTLED


def _shares(languages: Mapping[int, Language], facts: Mapping[int, FileFacts]) -> tuple[LanguageShare, ...]:
    """How much was read in each language, most files first."""
    from cbvtool.graph import LanguageShare

    files, errors, lines = Counter[str](), Counter[str](), Counter[str]()
    lost, macros = Counter[str](), Counter[str]()
    for row, found in facts.items():
        name = languages[row].name
        files[name] += 1
        errors[name] += found.syntax_error
        lines[name] += found.lines
        lost[name] += found.lost_lines
        macros[name] += found.lost_to_macros
    return tuple(
        LanguageShare(name, files[name], errors[name], lines[name], lost[name], macros[name])
        for name in sorted(files, key=lambda name: (-files[name], name))
    )


def existing_folder(path: Path) -> Path:
    """`path` without symbolic links. Raises InputError if it is not a folder."""
    shown = readable(os.fspath(path))
    try:
        os.stat(path)
        root = Path(real_path(path))
        is_folder = root.is_dir()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise InputError(f"There is no folder {shown!r}.") from error
        raise InputError(f"The folder {shown!r} cannot be opened: {reason_of(error)}.") from error
    if not is_folder:
        raise InputError(f"{shown!r} is a file, not a folder.")
    return root


def _nothing_in(root: Path, listing: Listing) -> str:
    shown = readable(os.fspath(root))
    notes = listing.notes() + [f"{name!r} {reason}." for name, reason in listing.left_out[:3]]
    if not notes:
        return f"The folder {shown!r} holds no files."
    return f"The folder {shown!r} holds no files to analyse: " + " ".join(notes)


def _content(root: Path, known: Container[str], path: str) -> bytes | None:
    """See `Folder.read`."""
    try:
        return read_bytes(os.path.join(root, path), SOURCE_LIMIT) if path in known else None
    except Unreadable:
        return None


def _resolve(
    subject: _Subject,
    facts: dict[int, FileFacts],
    workers: Workers,
    progress: Progress,
    earlier: Earlier | None,
    without_calls: bool,
    live: LiveAnalysis | None,
) -> list[Resolution]:
    """The results of the resolvers of all language families; `without_calls`: the quick ones of `Staged` resolvers."""
    paths = [file.path for file in subject.files]
    read = partial(_content, subject.root, frozenset(paths))
    folder = Folder(
        subject.above,
        paths,
        read,
        subject.settings.include_paths,
        subject.settings.source_roots,
        str(subject.root),
        subject.listing.behind_links(),
    )
    resolutions = []
    for name in dict.fromkeys(language.resolver for language in LANGUAGES):
        own = {row: found for row, found in facts.items() if subject.languages[row].resolver == name}
        if own:
            try:
                report = partial(progress, "Resolving names")
                if without_calls and is_staged(name):
                    resolutions.append(structure(name, folder, own))
                    continue
                resolutions.append(resolved((name, folder, own), workers, report, earlier, live))
            except Cancelled:
                raise
            except Exception as error:  # an error in a resolver costs the relations of its family, not the whole graph
                names = " and ".join(sorted({subject.languages[row].name for row in own}))
                why = f"{type(error).__name__}: {error} inside cbvtool"
                why = f"to resolve them {error}" if isinstance(error, TooMuch) else why
                resolutions.append(Resolution(notes=[f"The relations of {names} are missing: {why}."]))
    return resolutions


def packages_above(root: Path) -> tuple[str, ...]:
    """Names of the Python packages that contain `root`, outermost first, `root` itself last.

    Only the name of `root` if it is no package, or lies in none.

    A user may open the folder of a package itself; its files still import each other by full names.
    """
    names = [root.name]
    folder = root
    while (folder / "__init__.py").is_file() and (folder.parent / "__init__.py").is_file():
        folder = folder.parent
        names.append(folder.name)
    return tuple(reversed(names))
