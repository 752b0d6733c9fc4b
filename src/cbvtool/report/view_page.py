"""A view of a plugin as one page for a browser: its pictures and tables; nothing is loaded, nothing runs (NEW-8)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cbvtool.export.html import content_policy
from cbvtool.export.svg import svg_picture
from cbvtool.geometry.colors import Theme
from cbvtool.geometry.picture import Color, Picture
from cbvtool.plugin.parts import ViewTable
from cbvtool.report.markup import Content, element, listing, text, verbatim
from cbvtool.session.plugin_views.tables import cell, heading

MOST_ROWS = 500  # of a table
_STYLE = """
body { margin: 0 auto; max-width: 1280px; padding: 0 24px 24px; background: GROUND; color: TEXT;
  font: 14px/1.45 Inter, "Noto Sans", "Segoe UI", system-ui, sans-serif; }
h1 { font-size: 22px; margin: 18px 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 24px 0 6px; }
.about { margin: 0; padding: 0; list-style: none; color: MUTED; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
.wide:focus-visible { outline: 2px solid ACCENT; outline-offset: 2px; }
img { display: block; max-width: 100%; height: auto; border: 1px solid LINE; border-radius: 6px; }
table { border-collapse: collapse; font-size: 13px; }
caption { text-align: left; color: MUTED; padding-bottom: 4px; }
th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid LINE;
  overflow-wrap: anywhere; }
thead th { color: MUTED; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.faint th, .faint td { color: MUTED; }
.chosen th { font-weight: 700; }
p { color: MUTED; }
"""


@dataclass(frozen=True, eq=False)
class ViewSection:
    """A part of a view: its title, and what it draws."""

    title: str
    shown: Picture | ViewTable


def view_page(title: str, about: Sequence[str], sections: Sequence[ViewSection], theme: Theme) -> bytes:
    """The file. The same view gives the same bytes.

    about  lines below the title: what is shown, and how
    """
    style = _style(theme)
    policy = content_policy([], [style], "img-src data:; ").replace("script-src ; ", "")
    head = Markup(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="cbvtool trace render">\n'
        "<title>{title}</title>\n<style>{style}</style>\n</head>\n"
    ).format(policy=text(policy), title=text(title), style=verbatim(style))
    parts = [_section(number, each, theme.ground) for number, each in enumerate(sections)]
    body = element("body", element("h1", title), listing(*about, class_="about"), element("main", *parts))
    return (head + body + Markup("\n</html>\n")).encode("utf-8")


def _style(theme: Theme) -> str:
    """The style in the colours of a theme."""
    style = _STYLE
    for name, color in (("GROUND", theme.ground), ("TEXT", theme.text), ("MUTED", theme.muted), ("LINE", theme.line)):
        style = style.replace(name, _css(color))
    return style.replace("ACCENT", _css(theme.accent))


def _css(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color[:3])


def _section(number: int, section: ViewSection, ground: Color) -> Markup:
    """A heading over the picture or the table."""
    name = f"part-{number}"
    shown = section.shown
    what = _table(section.title, shown) if isinstance(shown, ViewTable) else _image(section.title, shown, ground)
    return element("section", element("h2", section.title, id=name), what, aria_labelledby=name)


def _image(title: str, picture: Picture, ground: Color) -> Markup:
    data = base64.b64encode(svg_picture(picture, ground, title)).decode("ascii")
    return Markup('<img src="data:image/svg+xml;base64,{}" alt="{}">').format(data, text(title))


def _table(title: str, table: ViewTable) -> Markup:
    """The first rows, faint ones in grey; a sentence where there is none, or where some are left out."""
    count = min(len(table.item), MOST_ROWS)
    if not count:
        return element("p", table.empty or "There is no row.")
    sides = [None if column.kind == "text" else "number" for column in table.columns]
    top = [
        element("th", heading(column), scope="col", class_=side, title=column.help or None)
        for column, side in zip(table.columns, sides, strict=True)
    ]
    rows = [_row(table, row, sides) for row in range(count)]
    inner = (element("thead", element("tr", *top)), element("tbody", *rows))
    shown = element(
        "div", element("table", *inner), class_="wide", tabindex=0, role="region", aria_label=f"Table: {title}"
    )
    left = len(table.item) - count + table.more
    return shown + element("p", f"and {left:,} more") if left else shown


def _row(table: ViewTable, row: int, sides: Sequence[str | None]) -> Markup:
    first, *rest = [cell(column, row) for column in table.columns]
    item = int(table.item[row])
    look = [name for name, items in (("faint", table.faint), ("chosen", table.selected)) if item in items]
    cells: list[Content] = [element("th", first, scope="row", class_=sides[0])]
    cells += [element("td", each, class_=side) for each, side in zip(rest, sides[1:], strict=True)]
    return element("tr", *cells, class_=" ".join(look) or None)
