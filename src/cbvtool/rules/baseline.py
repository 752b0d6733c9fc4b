"""The baseline: violations that a team has accepted for now. A gate fails only on new ones.

A violation is identified by its rule and its two ends, so that shifted lines do not matter. It also survives renames. A
new violation counts as an accepted one of the same rule in two cases: they share one end, and the other end of the
accepted one no longer exists but has the same name or folder as the new one; or both ends were moved and kept their
names.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cbvtool.errors import InputError
from cbvtool.rules.promise import BrokenPromise

FORMAT, VERSION = "cbvtool-baseline", 1
LARGEST = 200_000_000  # bytes of a file
_MOST = 1_000_000  # entries

Entry = tuple[str, str, str]  # rule, source, target


@dataclass(frozen=True)
class BesideBaseline:
    """Violations compared with a baseline.

    fresh     violations that are not in it
    accepted  violations that are in it
    ended     entries without a violation now
    """

    fresh: tuple[BrokenPromise, ...]
    accepted: tuple[BrokenPromise, ...]
    ended: tuple[Entry, ...]


def entry_of(one: BrokenPromise) -> Entry:
    """The identity of a violation."""
    return one.rule, one.source, one.target


def compare(broken: Sequence[BrokenPromise], baseline: Iterable[Entry], there: Collection[str]) -> BesideBaseline:
    """Separate new violations from accepted ones.

    there  ids of all existing nodes, and names of all existing modules
    """
    known = set(baseline)
    now = {entry_of(one) for one in broken}
    ended = sorted(known - now)
    renamed: set[Entry] = set()
    for entry in sorted(now - known):
        before = next((old for old in ended if _is_renamed(old, entry, there)), None)
        if before is not None:
            ended.remove(before)
            renamed.add(entry)
    accepted = known | renamed
    return BesideBaseline(
        tuple(one for one in broken if entry_of(one) not in accepted),
        tuple(one for one in broken if entry_of(one) in accepted),
        tuple(ended),
    )


def _is_renamed(old: Entry, new: Entry, there: Collection[str]) -> bool:
    if old[0] != new[0]:
        return False
    for end, other in ((1, 2), (2, 1)):
        if old[other] == new[other] and old[end] not in there and _alike(old[end], new[end]):
            return True
    gone = old[1] not in there and old[2] not in there
    return gone and all(_name(old[end]) == _name(new[end]) for end in (1, 2))


def _name(path: str) -> str:
    return path.rpartition("/" if "/" in path or "." not in path else ".")[2]


def _alike(old: str, new: str) -> bool:
    """Whether a file may have been moved, or renamed in its folder."""
    sign = "/" if "/" in old + new or "." not in old else "."
    (folder, _, name), (folder_now, _, name_now) = old.rpartition(sign), new.rpartition(sign)
    return name == name_now or folder == folder_now


def to_text(broken: Iterable[BrokenPromise]) -> str:
    """A baseline that accepts all of `broken`, one entry on each line, so that it merges well."""
    entries = sorted({entry_of(one) for one in broken})
    rows = ",\n".join(
        "  " + json.dumps({"rule": rule, "source": source, "target": target}) for rule, source, target in entries
    )
    head = f'{{\n "format": "{FORMAT}",\n "version": {VERSION},\n "accepted": ['
    return f"{head}\n{rows}\n ]\n}}\n" if entries else f"{head}]\n}}\n"


def parse(text: str, name: str) -> tuple[Entry, ...]:
    """The entries of a baseline; `name` is the file's name in messages. Raises InputError."""
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is no baseline: it is not JSON.") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("accepted"), list):
        raise InputError(f"{name} is no baseline: --update-baseline writes one.")
    if data.get("version") != VERSION:
        raise InputError(f"{name} is a baseline of version {str(data.get('version'))[:20]}; this is {VERSION}.")
    if len(data["accepted"]) > _MOST:
        raise InputError(f"{name} holds more than {_MOST:,} entries.")
    entries = []
    for number, row in enumerate(data["accepted"], 1):
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("rule", "source", "target")):
            raise InputError(f"{name}: entry {number} must have rule, source and target, each a text.")
        entries.append((row["rule"], row["source"], row["target"]))
    return tuple(entries)
