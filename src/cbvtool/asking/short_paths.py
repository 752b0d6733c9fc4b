"""Shortens paths by their common parts, so that the differences remain."""

from __future__ import annotations

from collections.abc import Iterable

SHORT = 40  # characters that are not cut
_LAST = 2  # parts at the end that are always kept


def short_path(path: str, most: int = SHORT) -> str:
    """`spring-web/…/http/converter`: the first part and as many of the last ones as fit into `most` characters.

    A path of up to `most` characters is not changed; the first part and the last two are always kept.
    """
    parts = path.split("/")
    if len(path) <= most or len(parts) <= _LAST + 2:
        return path
    kept = _LAST
    while kept + 2 < len(parts) and len("/".join([parts[0], "…", *parts[-kept - 1 :]])) <= most:
        kept += 1
    return "/".join([parts[0], "…", *parts[-kept:]])


def told_apart(names: Iterable[str], most: int) -> dict[str, str]:
    """name -> at most `most` characters of it that differ from those of the other names, if possible.

    The common beginning of a group of names, up to a border between words, becomes `…`: with eight characters,
    `spring-web` and `spring-webmvc` become `…web` and `…webmvc`. A name that is still too long is cut in its middle.
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
    """The words with which all names begin, at most all but the last one of the shortest name."""
    split = [_words(name) for name in names]
    shared = 0
    while all(len(words) > shared + 1 and words[shared] == split[0][shared] for words in split):
        shared += 1
    return "".join(split[0][:shared])


def _words(name: str) -> list[str]:
    """`spring-web` -> `spring-`, `web`; `testCase` -> `test`, `Case`. Joined, they give the name again."""
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
