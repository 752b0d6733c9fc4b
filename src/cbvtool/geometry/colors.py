"""All colours in one place: the themes, the colour maps, and how values become colours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.geometry.picture import Color

FloatColumn = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint8]

RELATION_ALPHA = 0.35  # a relation while nothing is highlighted
FADED_CURVES = 0.06  # opacity of relations that are not highlighted
FADED_ITEMS = 0.72  # how far the colour of segments that are not highlighted goes toward the ground, 0..1
FEW, BOLDEST = 30, 2.4  # up to FEW curves are drawn BOLDEST times as strong: few must be as easy to see as many
CLEAR = 700  # so many curves have their usual opacity: fewer are stronger, more are paler and thinner, else all is grey
FAINTEST = 0.3  # smallest factor on their opacity


@dataclass(frozen=True)
class Theme:
    """Colours as red, green, blue, alpha, 0..255.

    ground      background of the whole picture; plane: the disc under the relations
    text, muted, line   text, secondary text, hairlines; halo: outline of text that crosses data
    inner       two pairs of similar greys for inner nodes; the pairs alternate by ring, their greys by neighbour
    closed      rim of a collapsed container; shadow: at the foot of blocks, as strong as under the highest block
    missing     a leaf whose colour metric was not measured; other: a leaf of a class without a colour of its own
    level       lines behind the ring at values of the height scale
    outline     darker edge of segments
    user, used  a relation at its dependant's end and at its dependency's end
    affected    nodes that a change affects, and the relations over which it does
    accent      selection, drop target, focus
    warning     refusals and violations
    better, worse   consequences of a change (never by colour alone)
    """

    name: str
    ground: Color
    plane: Color
    text: Color
    muted: Color
    line: Color
    halo: Color
    inner: tuple[tuple[Color, Color], tuple[Color, Color]]
    closed: Color
    shadow: Color
    missing: Color
    other: Color
    level: Color
    outline: Color
    user: Color
    used: Color
    affected: Color
    accent: Color
    warning: Color
    better: Color
    worse: Color

    @property
    def is_dark(self) -> bool:
        """Whether the text is lighter than the ground."""
        return sum(self.ground[:3]) < 3 * 128


def rgba(code: str, alpha: float = 1.0) -> Color:
    """`#RRGGBB` and an alpha of 0..1 as a Color."""
    red, green, blue = bytes.fromhex(code.removeprefix("#"))
    return red, green, blue, round(255 * alpha)


LIGHT = Theme(
    name="light",
    ground=rgba("#FAFAF7"),
    plane=rgba("#F3F3EE"),
    text=rgba("#22272E"),
    muted=rgba("#66707B"),
    line=rgba("#D5D6D2"),
    halo=rgba("#FAFAF7", 0.85),
    inner=((rgba("#D3D6D9"), rgba("#DDE0E2")), (rgba("#C6CACE"), rgba("#D0D4D7"))),
    closed=rgba("#8E959C"),
    shadow=rgba("#1B2430", 0.34),
    missing=rgba("#B9BABB"),
    other=rgba("#7E868E"),
    level=rgba("#C9CBC8"),
    outline=rgba("#8A9097"),
    user=rgba("#0B7A75"),
    used=rgba("#E8751A"),
    affected=rgba("#6A3FC4"),
    accent=rgba("#0B84F3"),
    warning=rgba("#C2187A"),
    better=rgba("#1E8E3E"),
    worse=rgba("#C5221F"),
)
DARK = Theme(
    name="dark",
    ground=rgba("#16191D"),
    plane=rgba("#1B1F24"),
    text=rgba("#E6E9EC"),
    muted=rgba("#98A2AD"),
    line=rgba("#333A42"),
    halo=rgba("#16191D", 0.85),
    inner=((rgba("#3B424A"), rgba("#434B54")), (rgba("#343A42"), rgba("#3C434B"))),
    closed=rgba("#717A84"),
    shadow=rgba("#000000", 0.62),
    missing=rgba("#5E646B"),
    other=rgba("#9AA2AA"),
    level=rgba("#3A424B"),
    outline=rgba("#0C0E11"),
    user=rgba("#1A9E92"),
    used=rgba("#FF9F45"),
    affected=rgba("#B79BFF"),
    accent=rgba("#3B9DFF"),
    warning=rgba("#FF5FB7"),
    better=rgba("#57C97A"),
    worse=rgba("#FF6B62"),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def opacity_share(curves: int) -> float:
    """Factor on the opacity of each of `curves` curves: the more curves, the less ink for each."""
    if curves >= CLEAR:
        return max(FAINTEST, math.sqrt(CLEAR / curves))
    share = math.log(CLEAR / max(curves, FEW)) / math.log(CLEAR / FEW)
    return 1.0 + (BOLDEST - 1.0) * share


def _anchors(codes: str) -> FloatColumn:
    """float64[k, 3], 0..255, from `RRGGBB` codes."""
    anchors = np.array([list(bytes.fromhex(code)) for code in codes.split()], np.float64)
    anchors.flags.writeable = False
    return anchors


# cividis: 33 equidistant colours of the map of Nuñez, Anderton and Renslow, "Optimizing colormaps with
# consideration for color vision deficiency", PLoS ONE 13(7), 2018, doi 10.1371/journal.pone.0199239, an article
# free of all copyright (CC0). Straight pieces between them stay within 5 of 255 of the published map.
_CIVIDIS = (
    "00224E 00285B 002E6A 053371 1A386F 273E6E 32436D 3B496C 434E6C 4B546C 535A6D 5A5F6E 61656F 686A71 6F7073 "
    "767676 7D7C78 848279 8C8878 938E78 9B9476 A39A74 ABA072 B4A76F BCAE6C C4B468 CDBB63 D5C25E DEC958 E7D150 "
    "F0D846 F9E03A FEE838"
)
# thesis: green over yellow to red, as in the thesis that this view is based on; not safe for colour-blind readers.
_THESIS = "2E9E49 8CC152 F4D74B F0932B D7301F"
# ember: our own, from blue-grey over yellow to red. Lightness falls on both sides of the yellow. The two halves differ
# by lightness, and by blue against yellow-red under all common colour vision deficiencies.
_EMBER = "5E86AB 87ACBF B7CCC2 EADFA4 F0B855 DD7639 A6262C"

COLOR_MAPS: dict[str, FloatColumn] = {
    "cividis": _anchors(_CIVIDIS),
    "ember": _anchors(_EMBER),
    "thesis": _anchors(_THESIS),
}
DEFAULT_MAP = "ember"

# Okabe and Ito, "Color Universal Design", 2008: eight colours told apart by (nearly) everybody; facts, not a work.
OKABE_ITO: tuple[Color, ...] = tuple(
    rgba(code) for code in ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#000000")
)


# The colours of classes, the most frequent class first: without black, which would stand out most.
CLASS_COLORS = OKABE_ITO[:-1]

# The colours of kinds of relations, the most frequent kind first: the ones of the eight that contrast with the ground.
KIND_COLORS: dict[str, tuple[Color, ...]] = {
    "light": tuple(rgba(code) for code in ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")),
    "dark": tuple(rgba(code) for code in ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#D55E00")),
}
BY_KIND = "kind"
# Colours of a relation at the dependant's and at the dependency's end; None = those of the theme.
RELATION_MAPS: dict[str, tuple[Color, Color] | None] = {
    "teal-orange": None,
    "thesis": (rgba("#2E9E49"), rgba("#D7301F")),
    BY_KIND: None,
}


def relation_ends(theme: Theme, name: str) -> tuple[Color, Color]:
    """The colours of a relation at its dependant's and at its dependency's end.

    Raises InputError when there is no such pair.
    """
    if name not in RELATION_MAPS:
        raise InputError(f"There are no colours {name!r} for relations; there are: {', '.join(RELATION_MAPS)}.")
    return RELATION_MAPS[name] or (theme.user, theme.used)


def _color_map(name: str) -> FloatColumn:
    if name not in COLOR_MAPS:
        raise InputError(f"There is no colour map {name!r}; there are: {', '.join(COLOR_MAPS)}.")
    return COLOR_MAPS[name]


def map_colors(share: FloatColumn, name: str = DEFAULT_MAP, missing: Color = LIGHT.missing) -> Colors:
    """uint8[k, 4]: the colour at each `share` (0..1) of the map; `missing` where it is NaN."""
    anchors = _color_map(name)
    at = np.clip(np.nan_to_num(share), 0.0, 1.0) * (len(anchors) - 1)
    low = np.minimum(at.astype(np.int64), len(anchors) - 2)
    part = (at - low)[:, None]
    colors = np.empty((len(share), 4), np.uint8)
    colors[:, :3] = np.rint(anchors[low] * (1 - part) + anchors[low + 1] * part)
    colors[:, 3] = 255
    colors[np.isnan(share)] = missing
    return colors


def map_stops(name: str = DEFAULT_MAP) -> tuple[tuple[float, Color], ...]:
    """The map as a gradient: (share 0..1, colour) of each of its anchors."""
    anchors = _color_map(name)
    at = np.linspace(0.0, 1.0, len(anchors)).tolist()
    return tuple((share, (int(r), int(g), int(b), 255)) for share, (r, g, b) in zip(at, anchors.tolist(), strict=True))


def gradient(first: Color, last: Color, samples: int) -> FloatColumn:
    """float64[samples, 3], 0..255: from one colour to another in linear light, which keeps the middle bright.

    Eased at both ends (Perlin's smootherstep), so that most of the way has the colour of the nearer end.
    """
    ends = (np.array([first[:3], last[:3]], np.float64) / 255) ** 2.2
    share = np.linspace(0.0, 1.0, samples)[:, None]
    share = share**3 * (share * (6 * share - 15) + 10)
    return np.asarray(255 * (ends[0] * (1 - share) + ends[1] * share) ** (1 / 2.2))
