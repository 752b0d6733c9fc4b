"""HTML by elements: whatever names hold becomes text, unless it was made here."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from cbvtool.words import as_utf8, one_line

Content = str | int | Markup


def element(name: str, *content: Content, **attributes: Content | None) -> Markup:
    """An element with its end tag. An attribute that is None is left out; `class_` is `class`, `_` else a hyphen."""
    said = Markup("").join(
        Markup(' {}="{}"').format(
            key.rstrip("_").replace("_", "-"), text(value if isinstance(value, str) else str(value))
        )
        for key, value in attributes.items()
        if value is not None
    )
    return Markup("<{0}{1}>{2}</{0}>").format(name, said, joined(content))


def verbatim(markup: str) -> Markup:
    """Markup of our own, or of which every letter that means something there is escaped."""
    return Markup(markup)  # noqa: S704 - see above


def text(words: Content) -> Markup:
    """Words from outside as text: one line, and nothing in it is markup."""
    if isinstance(words, Markup):
        return words
    return escape(as_utf8(one_line(f"{words:,}" if isinstance(words, int) else words)))


def joined(parts: Iterable[Content]) -> Markup:
    """Parts one behind the other."""
    return Markup("").join(map(text, parts))


def listing(*items: Content, **attributes: Content | None) -> Markup:
    """A list of points."""
    return element("ul", *(element("li", item) for item in items), **attributes)


def table(
    caption: str, heads: Iterable[str], rows: Iterable[Iterable[Content]], **attributes: Content | None
) -> Markup:
    """A table whose first cells are heads of their rows; numbers stand on the right.

    A head that begins with `#` is of a column of numbers, and is shown without it.
    """
    heads = tuple(heads)
    sides = ["number" if head.startswith("#") else None for head in heads]
    top = joined(
        element("th", head.removeprefix("#"), scope="col", class_=side) for head, side in zip(heads, sides, strict=True)
    )
    body = []
    for row in rows:
        first, *rest = row
        cells = [element("td", cell, class_=side) for cell, side in zip(rest, sides[1:], strict=True)]
        body.append(element("tr", element("th", first, scope="row", class_=sides[0]), *cells))
    inner = (element("caption", caption), element("thead", element("tr", top)), element("tbody", *body))
    whole = element("table", *inner, **attributes)
    # What is wider than a small screen scrolls by itself, by keys, too.
    return element("div", whole, class_="wide", tabindex=0, role="region", aria_label=caption)
