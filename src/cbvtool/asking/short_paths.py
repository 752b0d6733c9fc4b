"""Paths made short where they are alike, so that what tells them apart is read."""

from __future__ import annotations

from collections.abc import Iterable

SHORT = 40  # characters that need no cut
_LAST = 2  # parts at the end that always stay


def short_path(path: str, most: int = SHORT) -> str:
    """`spring-web/…/http/converter`: the first part and the last ones, as many as `most` characters hold.

    Paths of up to `most` characters stay as they are; the first part and the last two stay in any case.
    """
    parts = path.split("/")
    if len(path) <= most or len(parts) <= _LAST + 2:
        return path
    kept = _LAST
    while kept + 2 < len(parts) and len("/".join([parts[0], "…", *parts[-kept - 1 :]])) <= most:
        kept += 1
    return "/".join([parts[0], "…", *parts[-kept:]])


def told_apart(names: Iterable[str], most: int) -> dict[str, str]:
    """name -> at most `most` characters of it, by which each differs from the others as far as that is possible.

    What a group of names begins with, up to a border between words, becomes `…`: `spring-web`, `spring-webmvc` with
    eight characters are `…web`, `…webmvc`. A name that is still too long is cut in its middle.
    """
    names = list(dict.fromkeys(names))
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_words(name)[0], []).append(name)
    short: dict[str, str] = {}
    for group in groups.values():
        common = _common(group) if len(group) > 1 else ""
        for name in group:
            text = name if len(name) <= most or not common else f"…{name[len(common) :]}"
            short[name] = text if len(text) <= most else _middle(text, most)
    return short


def _common(names: list[str]) -> str:
    """The words that all names begin with, less the last one of the shortest."""
    split = [_words(name) for name in names]
    shared = 0
    while all(len(words) > shared + 1 and words[shared] == split[0][shared] for words in split):
        shared += 1
    return "".join(split[0][:shared])


def _words(name: str) -> list[str]:
    """`spring-web` -> `spring-`, `web`; `testCase` -> `test`, `Case`: joined they are the name."""
    found, begin = [], 0
    for at in range(1, len(name)):
        ends_word = name[at - 1] in "-_./ " and name[at] not in "-_./ "
        if ends_word or (name[at].isupper() and name[at - 1].islower()):
            found.append(name[begin:at])
            begin = at
    return [*found, name[begin:]]


def _middle(text: str, most: int) -> str:
    head = max(1, (most - 1) // 2)
    tail = max(1, most - 1 - head)
    return f"{text[:head]}…{text[-tail:]}" if most > 2 else text[:most]
