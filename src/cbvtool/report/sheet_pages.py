"""Fact sheets as pages of PDF, one page of A4 each: lines that are too long are cut, so that nothing runs over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cbvtool.export.pdf import Fonts, pdf_pages
from cbvtool.geometry.overlay.labels import Measure, rough_width, shorten
from cbvtool.geometry.picture import Color, Item, Picture, Polyline, Rect, Text
from cbvtool.metrics.history.last_change import day
from cbvtool.report.fact_sheet import FactSheet, fact_sheets
from cbvtool.report.figures import SIGNS, difference
from cbvtool.report.first_screen import SHORT
from cbvtool.report.gathered import Gathered
from cbvtool.report.sparkline import points
from cbvtool.report.trend import MARK
from cbvtool.words import one_line

WIDTH, HEIGHT, MARGIN = 595, 842, 44  # points: A4
TEXT, MUTED, LINE, CURVE = (31, 35, 40, 255), (87, 96, 106, 255), (208, 215, 222, 255), (5, 80, 174, 255)
_ROOM = WIDTH - 2 * MARGIN
_NORMAL, _SMALL, _STEP = 10.0, 8.5, 16.0
_CHART = 74.0


def sheets(one: Gathered, measure: Measure = rough_width, fonts: Fonts = ("", "")) -> bytes:
    """The file. The same report gives the same bytes."""
    pages = [_page(one, sheet, measure) for sheet in fact_sheets(one, one.limit)]
    return pdf_pages(pages, f"Fact sheets of {one.project.name}, {one.day}", f"{MARK} {one.project.commit}", fonts)


@dataclass
class _Sheet:
    """A page that is being filled from the top; `y` is the middle of the next line."""

    measure: Measure
    items: list[Item] = field(default_factory=list)
    y: float = MARGIN

    def words(
        self, text: str, x: float, room: float, size: float = _NORMAL, color: Color = TEXT, *, bold: bool = False
    ) -> None:
        """A text that begins at `x`, cut where it is longer than `room`."""
        self.items.append(Text(self._fitting(text, room, size, bold), x, self.y, size, color, "left", bold=bold))

    def number(self, text: str, x: float, room: float, size: float = _NORMAL, color: Color = TEXT) -> None:
        """A text that ends at `x`."""
        self.items.append(Text(self._fitting(text, room, size, False), x, self.y, size, color, "right"))

    def heading(self, text: str) -> None:
        """The title of a part."""
        self.y += 10
        self.words(text, MARGIN, _ROOM, 12, bold=True)
        self.y += _STEP + 1

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[float]) -> None:
        """Rows whose first cell stands on the left and the others, as numbers, on the right of their columns."""
        for row in (heads, *rows):
            size, color = (_SMALL, MUTED) if row is heads else (_NORMAL, TEXT)
            x = float(MARGIN)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
                x += width
                if place:
                    self.number(cell, x, width - 6, size, color)
                else:
                    self.words(cell, MARGIN, width - 6, size, color)
            below = self.y + _STEP / 2
            self.items.append(Polyline(((MARGIN, below), (WIDTH - MARGIN, below)), LINE, 0.6))
            self.y += _STEP

    def _fitting(self, text: str, room: float, size: float, bold: bool) -> str:
        said = one_line(text)
        return said if self.measure(said, size, bold) <= room else shorten(said, room, size, self.measure)


def _page(one: Gathered, sheet: FactSheet, measure: Measure) -> Picture:
    page = _Sheet(measure, [Rect(0, 0, WIDTH, HEIGHT, (255, 255, 255, 255))])
    page.words(sheet.name, MARGIN, _ROOM, 18, bold=True)
    page.y += 22
    page.words(_dated(one), MARGIN, _ROOM, _SMALL, MUTED)
    page.y += 10
    _figures(page, one, sheet)
    if len(sheet.series) > 1:
        _chart(page, one, sheet.series)
    if sheet.files:
        page.heading("Hot spots: complex files that changed often in the last six months")
        rows = [(name, *(f"{value:,}" for value in values)) for name, *values in sheet.files]
        page.table(("File", "Complexity", "Commits", "Points"), rows, (_ROOM - 190, 70, 60, 60))
    _neighbours(page, sheet)
    for title, lines in (
        ("Cycles", sheet.cycles),
        ("Rules that it breaks", tuple(f"{rule}: {count:,} pairs of files" for rule, count in sheet.broken)),
    ):
        if lines:
            page.heading(title)
            for line in lines:
                page.words(line, MARGIN, _ROOM)
                page.y += _STEP
    foot = "▲ worse, ▼ better: cycles, files in cycles, broken rules and complexity per 100 lines are better if less."
    page.y = HEIGHT - MARGIN + 8
    page.words(foot if one.trend else "Made by cbvtool.", MARGIN, _ROOM, _SMALL, MUTED)
    return Picture(WIDTH, HEIGHT, tuple(page.items))


def _dated(one: Gathered) -> str:
    said = [f"{one.project.name}, fact sheet of {one.day}"]
    if one.project.commit:
        said.append(f"commit {one.project.commit[:SHORT]}")
    if one.trend is not None:
        begin = one.trend.begin
        said.append(f"compared with commit {begin.sha[:SHORT]} of {day(begin.time)}")
    return " · ".join(said)


def _figures(page: _Sheet, one: Gathered, sheet: FactSheet) -> None:
    page.heading("Figures")
    if one.trend is None:
        page.table(("Figure", "Now"), [(each.label, each.texts[1]) for each in sheet.figures], (_ROOM - 90, 90))
        return
    heads = ("Figure", day(one.trend.begin.time), day(one.trend.end.time), "Difference", "")
    rows = [(each.label, *each.texts, difference(each), SIGNS[each.verdict]) for each in sheet.figures]
    page.table(heads, rows, (_ROOM - 320, 80, 80, 80, 80))


def _chart(page: _Sheet, one: Gathered, series: Sequence[float]) -> None:
    """Complexity over the commits, from 0 on."""
    assert one.trend is not None
    page.heading("Complexity over time")
    top = page.y - _STEP / 2
    page.items.append(Rect(MARGIN, top, _ROOM, _CHART, (246, 248, 250, 255), LINE, 4))
    for stretch in points(series, _ROOM, _CHART, 10):
        places = tuple((MARGIN + x, top + y) for x, y in stretch)
        page.items.append(Polyline(places, CURVE, 1.6))
        page.items += [Rect(x - 2, y - 2, 4, 4, CURVE, radius=2) for x, y in places]
    known = [value for value in series if value == value]
    page.y = top + _CHART + 9
    begin, end = one.trend.begin, one.trend.end
    page.words(f"{day(begin.time)}: {known[0]:,.0f}", MARGIN, _ROOM / 2, _SMALL, MUTED)
    page.number(f"{day(end.time)}: {known[-1]:,.0f}", WIDTH - MARGIN, _ROOM / 2, _SMALL, MUTED)
    page.y += 10


def _neighbours(page: _Sheet, sheet: FactSheet) -> None:
    """Whom it uses, and who uses it."""
    if not sheet.uses and not sheet.users:
        return
    page.heading("Neighbours, by places in the source")
    rows = []
    for number in range(max(len(sheet.uses), len(sheet.users))):
        cells: list[str] = []
        for listed in (sheet.uses, sheet.users):
            name, count = listed[number] if number < len(listed) else ("", 0)
            cells += [name, f"{count:,}" if name else ""]
        rows.append(cells)
    half = _ROOM / 2
    start = page.y
    page.table(("It uses", "Places"), [row[:2] for row in rows], (half - 60, 50))
    end, page.y = page.y, start
    for number, row in enumerate([["It is used by", "Places"], *(row[2:] for row in rows)]):
        size, color = (_NORMAL, TEXT) if number else (_SMALL, MUTED)
        page.words(row[0], MARGIN + half, half - 60, size, color)
        page.number(row[1], WIDTH - MARGIN, 50, size, color)
        page.y += _STEP
    page.y = end
