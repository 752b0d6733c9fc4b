"""The page of a report, read without a browser: its tables, and what is wrong with its structure."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "link", "input", "hr"}
_OUTSIDE = re.compile(r"https?:|//|file:|url\(|@import", re.IGNORECASE)


class ReadPage(HTMLParser):
    """A page.

    tables   id -> rows of texts, the head first
    texts    id -> all text of the element
    faults   sentences
    """

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.texts: dict[str, str] = {}
        self.faults: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.styles: list[str] = []
        self._open: list[tuple[str, str]] = []  # (tag, id)
        self._cell: list[str] | None = None
        self._levels: list[int] = []
        self.feed(content.decode("utf-8"))
        self.close()
        self._judge()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.elements.append((tag, given))
        if tag not in VOID:
            self._open.append((tag, given.get("id", "")))
        if tag == "table":
            self.tables[given.get("id", "")] = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td"):
            self._rows[-1].append("")
        elif re.fullmatch("h[1-6]", tag):
            self._levels.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            self.faults.append(f"</{tag}> ends {self._open[-1:] or 'nothing'}")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self._open]
        for _, name in self._open:
            if name:
                self.texts[name] = self.texts.get(name, "") + data
        if "style" in tags:
            self.styles.append(data)
        elif ("td" in tags or "th" in tags) and "svg" not in tags:
            self._rows[-1][-1] += data

    @property
    def _rows(self) -> list[list[str]]:
        return self.tables[next(name for tag, name in reversed(self._open) if tag == "table")]

    def _judge(self) -> None:
        """What every reader, with a screen reader or without, has a right to."""
        say, names = self.faults.append, [given["id"] for _, given in self.elements if "id" in given]
        if self._open:
            say(f"{self._open[-1][0]} has no end")
        if len(names) != len(set(names)):
            say("two elements have one id")
        if self._levels[:1] != [1] or self._levels.count(1) != 1:
            say("there is not one heading of level 1 at the top")
        if any(after > before + 1 for before, after in zip(self._levels, self._levels[1:], strict=False)):
            say("a level of headings is left out")
        tags = [tag for tag, _ in self.elements]
        for landmark in ("header", "nav", "main", "footer"):
            if tags.count(landmark) != 1:
                say(f"there is not one {landmark}")
        for tag, given in self.elements:
            for fault in (*_mute(tag, given), *_too_free(given)):
                say(f"{tag} {fault}")
            for name in ("aria-labelledby", "href"):
                if (to := given.get(name)) and to.removeprefix("#") not in names:
                    say(f"{name} leads nowhere: {to}")
        if any(_OUTSIDE.search(style) for style in self.styles):
            say("a style loads something")
        policy = next(given["content"] for _, given in self.elements if given.get("http-equiv"))
        for style in self.styles:
            if base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() not in policy:
                say("a style is not one of the policy's")


def _mute(tag: str, given: dict[str, str]) -> Iterator[str]:
    """What an element does not say to those who do not see it."""
    needed = {"html": "lang", "img": "alt", "iframe": "title"}.get(tag)
    if needed and not given.get(needed):
        yield f"has no {needed}"
    if tag == "th" and given.get("scope") not in ("col", "row"):
        yield "has no scope"
    if tag == "svg" and given.get("role") != "img":
        yield "is not told as a picture"


def _too_free(given: dict[str, str]) -> Iterator[str]:
    """What an element does and may not."""
    for name, value in given.items():
        if name.startswith("on") or name == "style" or (name in ("src", "href", "action") and _OUTSIDE.match(value)):
            yield f"has {name}"
