"""What says which function is which besides path and name: renames that git knows, a table of the user's (TD-12)."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.api import CodeChanges, InputError, Need, NeedProgress, SubjectCode, Trace, ViewContext, function_table

Pairs = tuple[tuple[str, str], ...]
UNKNOWN = "The recordings do not say of which commits they are, so the cause is not known."


@dataclass(frozen=True, eq=False)
class ReadCode:
    """What was changed between the commits of two recordings.

    commits  of both; changes: None where that cannot be known; reason: why
    """

    commits: tuple[str, str]
    changes: CodeChanges | None
    reason: str = ""


def read_code(code: SubjectCode, old: str, new: str, *, progress: NeedProgress) -> ReadCode:
    """Ask the repository what was changed, and which files were renamed."""
    commits = (old, new)
    if not old or not new:
        return ReadCode(commits, None, UNKNOWN)
    if old == new:
        return ReadCode(commits, CodeChanges((), {}))
    try:
        return ReadCode(commits, code.changed(old, new, progress))
    except InputError as reason:
        return ReadCode(commits, None, str(reason))


def code_need(context: ViewContext, upper: Trace, lower: Trace) -> tuple[Need, ...]:
    """One, where a repository is open; the first picture does not wait for it.

    What was read stays while both are compared anew by it: else they would be compared without it again.
    """
    if context.code is None or not {"known", "code"} & context.found.keys():
        return ()
    of = (context.code, upper.header.commit, lower.header.commit)
    return (Need("code", "reading what was changed", read_code, of),)


def code_in(context: ViewContext, upper: Trace, lower: Trace) -> ReadCode | None:
    """What was changed between both; None while it is read."""
    found: ReadCode | None = context.found.get("code")
    fits = found is not None and found.commits == (upper.header.commit, lower.header.commit)
    return found if fits and context.code is not None else None


def renames_in(context: ViewContext, upper: Trace, lower: Trace) -> Pairs:
    """Files of both recordings that were renamed between their commits; none while that is not known."""
    found = code_in(context, upper, lower)
    if found is None or found.changes is None or not found.changes.renames:
        return ()
    return context.memo(_recorded, upper, lower, tuple(sorted(found.changes.renames.items())))


def _recorded(upper: Trace, lower: Trace, renames: Pairs) -> Pairs:
    """The renames of files that were recorded: others change nothing, and nothing is compared anew for them."""
    ends = []
    for trace in (upper, lower):
        parts = (file.replace("\\", "/").split("/") for file in set(trace.functions.file) if file)
        ends.append({"/".join(each[at:]) for each in parts for at in range(len(each))})
    return tuple((old, new) for old, new in renames if old in ends[0] and new in ends[1])


def table_in(context: ViewContext) -> Pairs:
    """The user's pairs of functions: name in A, name in B."""
    return context.memo(_read_table, str(context.values["same"]))[0]


def fault_in(context: ViewContext) -> str:
    """What is wrong with the user's table; "" = nothing."""
    return context.memo(_read_table, str(context.values["same"]))[1]


def _read_table(text: str) -> tuple[Pairs, str]:
    if not text:
        return (), ""
    try:
        return tuple(function_table(text, "The table of functions").items()), ""
    except InputError as error:
        return (), str(error)
