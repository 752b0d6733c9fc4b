"""Infers moved folders from moved files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def moved_folders(files: Mapping[str, str]) -> dict[str, str]:
    """Folder from which files moved -> folder to which most of them moved.

    files   paths of moved files, from -> to

    A file that moved from `flask/json/tag.py` to `src/flask/json/tag.py` counts for `flask/json` and for `flask`, which
    kept their names, and for no folder above these.
    """
    votes = dict[str, Counter[str]]()
    for old, new in files.items():
        before, after = old.split("/"), new.split("/")
        if before[-1] != after[-1]:
            continue
        while len(before) > 1 and len(after) > 1 and before[-1] == after[-1]:
            before, after = before[:-1], after[:-1]
            if before != after:
                votes.setdefault("/".join(before), Counter())["/".join(after)] += 1
    return {old: max(sorted(found), key=found.__getitem__) for old, found in votes.items()}
