"""`.cbv` documents: which code base, which plans, which view; readable JSON that diffs well in git.

The format is described in `docs/plan-format.md`. Nothing in a document is ever run: it holds data only, and what
this version does not know is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import Meta

from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.graph import Graph
from cbvtool.plan.history import Group, History
from cbvtool.plan.listing.annotations import NONE, Annotation, Annotations
from cbvtool.plan.operations import KINDS, Operation
from cbvtool.regular_file import opened

FORMAT = "cbvtool-document"
VERSION = 2  # 1 named one commit for all plans, and laid a step out on many lines

# A plan of a thousand steps takes half a megabyte. A file beyond this was not written by us.
_LARGEST = 64 * 2**20
_MOST_VALUES = 6_000_000  # numbers, texts, lists and objects: an empty list is two letters and sixty bytes of memory
_BETWEEN_VALUES = (b",", b"[", b"{", b":")
_DEEPEST = 50  # what is read must also be written again, by code that recurses
TRACES = "traces"  # a member of the view
MOST_TRACES = 100  # of one document
MOST_PLANS = 100  # of one document
_STEPS_UP = 2  # how far above the document a subject may lie and still be named by a relative path

_USUAL = asdict(Annotation())
_OPERATIONS = {kind.row.op: kind for kind in KINDS}


@dataclass(frozen=True)
class Plan:
    """One named plan: the steps done, oldest first, and those undone, the next to redo last.

    annotations   what people noted about its tasks, by the key of the task; also of tasks that are overtaken
    commit        the commit that it was made on, which stays when the code goes on; empty = none, or not known
    note          what it is for
    """

    name: str = "Plan 1"
    done: tuple[Group, ...] = ()
    undone: tuple[Group, ...] = ()
    annotations: Annotations = field(default_factory=dict)
    commit: str = ""
    note: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it has no steps, neither done nor undone."""
        return not self.done and not self.undone

    def history(self, base: Graph) -> History:
        """The plan on a graph."""
        return History(base, self.done, self.undone)

    @staticmethod
    def of(history: History, name: str = "Plan 1", annotations: Annotations = NONE, commit: str = "") -> Plan:
        """The plan that a history holds."""
        return Plan(name, history.done, history.undone, annotations, commit)


@dataclass(frozen=True)
class TraceFile:
    """A file or folder with traces or coverage that a document names.

    path      absolute; it need not exist (any more)
    format    name of the reader
    digest    SHA-256 of the content when it was imported, hexadecimal
    size      bytes then
    modified  when it was written, ns since 1970
    """

    path: Path
    format: str = ""
    digest: str = ""
    size: int = 0
    modified: int = 0


@dataclass(frozen=True)
class Document:
    """What a `.cbv` file says.

    subject   absolute path of the folder or graph file that the plans are about; it need not exist (any more)
    name      what the subject is called
    usual_commit  the commit that those plans were made on which do not say theirs: what is read from a file says it
    plans     at least one; names differ
    active    index of the plan that is shown
    view      the view state as plain JSON data; what it means is the view's business
    digest    SHA-256 of the bytes that it was read from, hexadecimal; empty for one that was not read
    traces    that are open
    """

    subject: Path
    name: str
    usual_commit: str = ""
    plans: tuple[Plan, ...] = (Plan(),)
    active: int = 0
    view: Mapping[str, Any] = field(default_factory=dict)
    digest: str = field(default="", compare=False)
    traces: tuple[TraceFile, ...] = ()

    @property
    def plan(self) -> Plan:
        """The active plan."""
        return self.plans[self.active]

    def commit_of(self, plan: Plan) -> str:
        """The commit that a plan of the document was made on; empty = it is not known."""
        return plan.commit or self.usual_commit

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits that the plans were made on, each once, that of the plan that is shown first."""
        found = (self.commit_of(self.plan), *map(self.commit_of, self.plans))
        return tuple(dict.fromkeys(commit for commit in found if commit))

    def plan_named(self, name: str) -> Plan:
        """The plan with this name. Raises InputError, with the likely one, if there is none."""
        for plan in self.plans:
            if plan.name == name:
                return plan
        names = [plan.name for plan in self.plans]
        folded = {known.casefold(): known for known in names}
        close = get_close_matches(name.casefold(), folded, 1)
        hint = f"did you mean {folded[close[0]]!r}?" if close else f"it has {', '.join(map(repr, names))}."
        raise InputError(f"The document has no plan {name!r}: {hint}")


class ChangedOnDisk(InputError):
    """A document is not what was read or written last: somebody else has written it, or it is `gone`."""

    def __init__(self, file: Path, *, gone: bool) -> None:
        what = "is not there any more" if gone else "was changed by another window or program"
        super().__init__(f"{file} {what}: save the plan under another name, or confirm that you replace it.")
        self.file, self.gone = file, gone


def must_be_unchanged(file: Path, digest: str) -> None:
    """See that a document still is what was read or written last, before it is replaced.

    digest   of that; empty for a file that was neither read nor written, which must not be there

    Raises ChangedOnDisk, or InputError if nobody can tell.
    """
    if file.exists() and not file.is_file():
        return  # a pipe or a device, which holds nothing that could be lost
    try:
        with opened(file) as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
    except FileNotFoundError:
        found = ""
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error
    if found != digest:
        raise ChangedOnDisk(file, gone=not found)


def write_document(
    document: Document, path: Path, more: Mapping[str, object] | None = None, *, place: Path | None = None
) -> str:
    """Write `document` to `path`: completely or not at all. Returns the digest of what was written.

    more   members besides those of a document, which `read_document` ignores
    place  where the file is to lie, if not at `path`: relative paths in it count from there

    Raises InputError if that is not possible.
    """
    content = to_text(document, Path(os.path.abspath(place or path)).parent, more or {}).encode()
    with replacing(path) as file:
        file.write(content)
    return hashlib.sha256(content).hexdigest()


def read_document(path: Path, *, place: Path | None = None) -> Document:
    """Read a `.cbv` file; the file is never changed.

    place  where the file belongs, if not at `path`: relative paths in it count from there

    Operations that name nodes which no graph has are kept: `History.refusals` tells of them.

    Raises InputError, one sentence naming the file and the reason, for a file that is missing, too large,
    truncated, no JSON, no cbvtool document, of a newer version, or has values of the wrong type.
    """
    content = _read(path)
    data = _parse(content, path)
    _must_be_ours(data, path)
    try:
        wire = msgspec.convert(data, _Document)
        plans = tuple(_plan(plan, wire.subject.commit, f"plans[{i}]") for i, plan in enumerate(wire.plans))
    except (msgspec.ValidationError, _Fault) as fault:
        raise InputError(f"{path} is damaged: {_reason(fault)}. The file was left as it is.") from fault
    except UnicodeEncodeError:  # half of a pair of surrogates, which a name of a file may hold, but no name of ours
        raise InputError(f"{path} is damaged: the name of a member is not text. The file was left as it is.") from None
    if "\0" in wire.subject.path:
        raise InputError(f"{path} is damaged: subject.path is not a path. The file was left as it is.")
    names = [plan.name for plan in plans]
    if len(set(names)) != len(names) or wire.active not in names:
        fault_at = "two plans have one name" if len(set(names)) != len(names) else f"it has no plan {wire.active!r}"
        raise InputError(f"{path} is damaged: {fault_at}. The file was left as it is.")
    folder = Path(os.path.abspath(place or path)).parent
    return Document(
        Path(os.path.normpath(folder / wire.subject.path)),
        wire.subject.name,
        "",
        plans,
        names.index(wire.active),
        {name: value for name, value in wire.view.items() if name != TRACES},
        hashlib.sha256(content).hexdigest(),
        _traces(wire.view.get(TRACES), folder),
    )


class _Fault(Exception):
    """What is wrong inside a document, and where."""


class _Subject(msgspec.Struct):
    path: Annotated[str, Meta(min_length=1)]
    name: str
    commit: str = ""  # version 1: of all plans


class _TraceFile(msgspec.Struct):
    path: Annotated[str, Meta(min_length=1)]
    format: str = ""
    digest: str = ""
    size: Annotated[int, Meta(ge=0)] = 0
    modified: int = 0


class _Group(msgspec.Struct):
    label: str
    operations: list[dict[str, Any]]
    note: str = ""


class _Annotation(msgspec.Struct):
    note: str = ""
    assignee: str = ""
    order: Annotated[int, Meta(ge=0)] | None = None
    done: bool = False
    title: str = ""


class _Plan(msgspec.Struct):
    name: str
    operations: list[_Group]
    undone: list[_Group] = []
    tasks: dict[str, _Annotation] = {}
    commit: str = ""
    note: str = ""


class _Document(msgspec.Struct):
    subject: _Subject
    plans: Annotated[list[_Plan], Meta(min_length=1, max_length=MOST_PLANS)]
    active: str
    view: dict[str, Any] = {}


@dataclass(frozen=True)
class _OneLine:
    """Data that stand on one line of the file: whoever adds or changes a step changes that line alone."""

    data: Any


def to_text(document: Document, folder: Path, more: Mapping[str, object]) -> str:
    """What a file in `folder` holds that is a document, with members besides those of a document."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "subject": {"path": _named_from(document.subject, folder), "name": document.name},
        "plans": [_plan_as_data(plan, document.commit_of(plan)) for plan in document.plans],
        "active": document.plan.name,
        "view": {**document.view, **_named_traces(document.traces, folder)},
        **more,
    }
    # A file name that is not UTF-8 reaches us with lone surrogates, which only an escape can carry.
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", _laid_out(data)) + "\n"


def _plan_as_data(plan: Plan, commit: str) -> dict[str, Any]:
    noted = {"note": plan.note} if plan.note else {}
    steps = {"operations": _groups(plan.done), "undone": _groups(plan.undone)}
    return {"name": plan.name, "commit": commit, **noted, **steps, **_noted(plan)}


def _laid_out(data: Any, margin: str = "") -> str:
    """JSON, indented by two spaces, with one line for each member and item, and for each `_OneLine`."""
    inner = margin + "  "
    if isinstance(data, dict) and data:
        members = [f"{inner}{_compact(name)}: {_laid_out(value, inner)}" for name, value in data.items()]
        return "{\n" + ",\n".join(members) + f"\n{margin}}}"
    if isinstance(data, list | tuple) and data:
        return "[\n" + ",\n".join(f"{inner}{_laid_out(item, inner)}" for item in data) + f"\n{margin}]"
    return _compact(data.data if isinstance(data, _OneLine) else data)


def _compact(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _named_traces(traces: Sequence[TraceFile], folder: Path) -> dict[str, Any]:
    """The member `traces` of the view; nothing at all where none is open."""
    rows = [{**asdict(trace), "path": _named_from(trace.path, folder)} for trace in traces]
    return {TRACES: rows} if rows else {}


def _traces(data: object, folder: Path) -> tuple[TraceFile, ...]:
    """The traces that a document names; what makes no sense is left out, so that the plan is not lost with it."""
    found = list[TraceFile]()
    for entry in data[:MOST_TRACES] if isinstance(data, list) else ():
        try:
            wire = msgspec.convert(entry, _TraceFile)
        except (msgspec.ValidationError, UnicodeEncodeError):
            continue
        if "\0" not in wire.path:
            path = Path(os.path.normpath(folder / wire.path))
            found.append(TraceFile(path, wire.format, wire.digest, wire.size, wire.modified))
    return tuple(found)


def _noted(plan: Plan) -> dict[str, Any]:
    """The member `tasks`: what says something, and nothing at all where nobody noted anything."""
    told = {
        key: _OneLine({name: value for name, value in asdict(entry).items() if value != _USUAL[name]})
        for key, entry in sorted(plan.annotations.items())
    }
    return {"tasks": told} if told else {}


def _groups(groups: Sequence[Group]) -> list[_OneLine]:
    return [_OneLine(_step_as_data(group)) for group in groups]


def _step_as_data(group: Group) -> dict[str, Any]:
    noted = {"note": group.note} if group.note else {}
    return {"label": group.label, **noted, "operations": [{"op": o.row.op, **asdict(o)} for o in group.operations]}


def _named_from(subject: Path, folder: Path) -> str:
    """Relative, with `/`, where the subject lies below or near the document, so that both can move together."""
    subject = Path(os.path.abspath(subject))
    try:
        relative = PurePath(os.path.relpath(subject, folder))
    except ValueError:  # another drive
        return subject.as_posix()
    shared = os.path.commonpath((subject, folder))
    if relative.parts.count("..") > _STEPS_UP or (subject != folder and shared == subject.anchor):
        return subject.as_posix()
    return relative.as_posix()


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder, not a .cbv document.")
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a regular file.")
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path} is too large for a .cbv document ({path.stat().st_size / 2**20:,.0f} MB).")
        with opened(path) as file:  # waits for no pipe that has been put there meanwhile
            return file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _parse(content: bytes, path: Path) -> Any:
    if not content.strip():
        raise InputError(f"{path} is empty, so it is not a .cbv document.")
    if sum(map(content.count, _BETWEEN_VALUES)) > _MOST_VALUES:
        raise InputError(f"{path} holds too much for a .cbv document: more than {_MOST_VALUES:,} values.")
    try:
        # Not msgspec: it refuses the escaped lone surrogates that stand for file names which are not UTF-8.
        data = json.loads(
            content.decode("utf-8-sig"), parse_constant=_refuse_constant, parse_float=_finite, parse_int=_small
        )
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a .cbv document: it is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        cut = error.pos >= len(content.decode("utf-8-sig").rstrip()) or error.msg.startswith("Unterminated")
        reason = "it ends too early; was it cut off?" if cut else f"line {error.lineno}: {error.msg}."
        raise InputError(f"{path} cannot be read as JSON: {reason} The file was left as it is.") from None
    except RecursionError:
        raise InputError(f"{path} is damaged: it is nested too deeply. The file was left as it is.") from None
    except _Fault as fault:
        raise InputError(f"{path} is damaged: {fault}. The file was left as it is.") from None
    if _depth(data) > _DEEPEST:
        raise InputError(f"{path} is damaged: it is nested too deeply. The file was left as it is.")
    return data


def _refuse_constant(name: str) -> NoReturn:
    raise _Fault(f"{name} is no number")


def _finite(digits: str) -> float:
    if abs(number := float(digits)) == float("inf"):
        raise _Fault(f"the number {digits[:20]} is too large")
    return number


def _small(digits: str) -> int:
    if len(digits) > 20 or abs(number := int(digits)) >= 2**63:
        raise _Fault(f"the number {digits[:20]}... is too large")
    return number


def _depth(data: Any) -> int:
    """How deeply lists and objects are nested; no recursion, for the data may be hostile."""
    depth, level = 0, [data]
    while level:
        depth += 1
        inner = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        level = [item for items in inner for item in items]
    return depth


def _must_be_ours(data: Any, path: Path) -> None:
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        what = f"its format is {found!r}" if isinstance(found, str) else f'it does not say "format": "{FORMAT}"'
        raise InputError(f"{path} is not a .cbv document: {what[:200]}.")
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError(f"{path} is damaged: its version is not a positive number. The file was left as it is.")
    if version > VERSION:
        raise InputError(
            f"{path} was written by a newer cbvtool (format version {str(version)[:20]}, this one reads up to "
            f"{VERSION}): please update cbvtool. The file was left as it is."
        )


def _plan(plan: _Plan, commit: str, where: str) -> Plan:
    return Plan(
        plan.name,
        tuple(_group(group, f"{where}.operations[{i}]") for i, group in enumerate(plan.operations)),
        tuple(_group(group, f"{where}.undone[{i}]") for i, group in enumerate(plan.undone)),
        {key: Annotation(**msgspec.structs.asdict(entry)) for key, entry in plan.tasks.items()},
        plan.commit or commit,
        plan.note,
    )


def _group(group: _Group, where: str) -> Group:
    operations = (_operation(data, f"{where}.operations[{i}]") for i, data in enumerate(group.operations))
    return Group(group.label, tuple(operations), group.note)


def _operation(data: dict[str, Any], where: str) -> Operation:
    word = data.get("op")
    kind = _OPERATIONS.get(word) if isinstance(word, str) else None
    if kind is None:
        raise _Fault(f"{where} is not an operation that cbvtool knows: {str(word)[:60]!r}")
    known = {entry.name for entry in fields(kind)}
    try:
        return msgspec.convert({name: value for name, value in data.items() if name in known}, kind)
    except msgspec.ValidationError as error:
        raise _Fault(f"{where}: {_reason(error)}") from None


def _reason(fault: Exception) -> str:
    return str(fault).rstrip(".").replace(" - at `$.", " at `").replace(" - at `$", " at `")
