"""Which file of one recording is which of another, whose source lay elsewhere or has another version (TD-12)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

Parts = tuple[str, ...]

MOST_ALIKE = 200  # files of one name that are tried against each other: `__init__.py` may stand there in thousands


def paired_files(
    reference: Iterable[str], test: Iterable[str], renames: Mapping[str, str] | None = None
) -> dict[str, str]:
    """File of the reference -> file of the test; files without a partner are left out.

    Equal paths are pairs. Else the longest common ends of paths vote for pairs of source roots (`/old/src`,
    `/new/src`), and a pair of roots makes pairs of all files that have the same path below them, the roots with most
    votes first.
    `renames` (old -> new path below the root, as git names them) holds below every pair of roots, and for what one path
    alone ends in.
    """
    left = {path: _parts(path) for path in dict.fromkeys(reference) if path}
    right = {path: _parts(path) for path in dict.fromkeys(test) if path}
    by_parts = {parts: path for path, parts in right.items()}
    renamed = {_parts(old): _parts(new) for old, new in (renames or {}).items()}
    found: dict[str, str] = {}
    taken: set[str] = set()

    def pair(path: str, partner: str | None) -> None:
        if partner is not None and path not in found and partner not in taken:
            found[path] = partner
            taken.add(partner)

    for path, parts in left.items():
        pair(path, by_parts.get(parts))
    # Files that lie where they lay say nothing of roots: with them, all others would lie within the root of the disk.
    roots = _roots(
        {path: parts for path, parts in left.items() if path not in found},
        {path: parts for path, parts in right.items() if path not in taken},
    )
    for old_root, new_root in roots:
        for path, parts in left.items():
            if path not in found and parts[: len(old_root)] == old_root:
                below = parts[len(old_root) :]
                pair(path, by_parts.get(new_root + below))
                if below in renamed:
                    pair(path, by_parts.get(new_root + renamed[below]))
    # Both may have been recorded at one place, or nothing but renamed files: then no root was found for them.
    for path, parts in left.items():
        at = next((at for at in range(len(parts)) if parts[at:] in renamed), -1)
        if path not in found and at >= 0:
            new = renamed[parts[at:]]
            ends = [other for there, other in by_parts.items() if there[-len(new) :] == new and other not in taken]
            pair(path, by_parts.get(parts[:at] + new, ends[0] if len(ends) == 1 else None))
    return found


def _parts(path: str) -> Parts:
    return tuple(part for part in path.replace("\\", "/").split("/") if part and part != ".")


def _roots(left: Mapping[str, Parts], right: Mapping[str, Parts]) -> list[tuple[Parts, Parts]]:
    """Pairs of source roots, those with most votes first; none that lies in another pair of roots."""
    by_name: dict[str, list[Parts]] = defaultdict(list)
    for parts in right.values():
        by_name[parts[-1]].append(parts)
    votes: Counter[tuple[Parts, Parts]] = Counter()
    for parts in left.values():
        alike = by_name.get(parts[-1], [])
        if not 0 < len(alike) <= MOST_ALIKE:
            continue
        shared = [_shared(parts, other) for other in alike]
        longest = max(shared)
        best = [other for other, count in zip(alike, shared, strict=True) if count == longest]
        if len(best) == 1:
            votes[parts[: len(parts) - longest], best[0][: len(best[0]) - longest]] += longest
    chosen: list[tuple[Parts, Parts]] = []
    for old, new in sorted(votes, key=lambda root: (-votes[root], len(root[0]), root)):
        if not any(_within(old, new, *other) for other in chosen):
            chosen.append((old, new))
    return chosen


def _within(old: Parts, new: Parts, old_root: Parts, new_root: Parts) -> bool:
    """Whether both of a pair of roots lie in a stronger pair, which says already where their files belong."""
    return old[: len(old_root)] == old_root and new[: len(new_root)] == new_root


def _shared(one: Parts, other: Parts) -> int:
    """How many parts two paths have in common at their ends."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
