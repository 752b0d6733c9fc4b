"""What has grown too large: files with too much in them that many depend on, and folders with too many files."""

from __future__ import annotations

import numpy as np

from cbvtool.findings.finding import Examined, Finding
from cbvtool.graph.regroup import node_words

MOST = 10
LONG = 1000  # source lines of a god file, at least,
USERS = 10  # and files that use it
MANY = 40  # files directly in a fat package, at least


def god_files(examined: Examined, most: int = MOST) -> list[Finding]:
    """Files of at least 1,000 source lines that at least ten other files use, most lines first."""
    lines, users = examined.measured("sloc"), examined.measured("fan_in")
    keys = examined.files[(lines[examined.files] >= LONG) & (users[examined.files] >= USERS)]
    keys = keys[np.argsort(-lines[keys], kind="stable")][:most]
    return [
        Finding(
            "god-file",
            f"{examined.graph.ids[key]} has {lines[key]:,.0f} source lines, and {users[key]:,.0f} files use it",
            (key,),
            figures={"sloc": int(lines[key]), "users": int(users[key])},
            share=examined.share_of(lines, np.array([key])),
        )
        for key in keys.tolist()
    ]


def fat_packages(examined: Examined, most: int = MOST) -> list[Finding]:
    """Folders and packages that hold at least 40 files of code directly, the most first."""
    lines = examined.measured("sloc")
    code = examined.files[np.nan_to_num(lines[examined.files]) > 0]
    holders, counts = np.unique(examined.graph.parent[code], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return [
        Finding(
            "fat-package",
            f"{node_words(examined.graph, key)} holds {count:,} files directly",
            (key,),
            figures={"files": count},
            share=count / max(1, len(code)),
        )
        for key, count in zip(holders[order].tolist(), counts[order].tolist(), strict=True)
        if count >= MANY
    ]
