"""The scene as one HTML page that opens from disk: the reader can turn it, search it, and point at nodes.

It loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from math import ceil, floor
from string import Template
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.fan_out import thinned
from cbvtool.export.svg import svg_items
from cbvtool.geometry.colors import THEMES, opacity_share
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.answer_legends import with_answers
from cbvtool.geometry.overlay.flat import PLANE_RADIUS
from cbvtool.geometry.overlay.item_facts import item_facts
from cbvtool.geometry.overlay.labels import Measure, rough_width
from cbvtool.geometry.picture import Picture, Rect, Text
from cbvtool.geometry.scene.ribbons import CURVE_WIDTH
from cbvtool.geometry.scene.scene import Scene, in_one_gradient, in_theme
from cbvtool.words import one_line

MOST_CURVES = 50_000
SAMPLES = 16  # samples of a curve; the page inserts one more between every two
CURVE_SCALE = 1 / 32_000  # unit of stored coordinates, in radii of the disc
FINEST = 50  # a stored thickness of so many units is the usual one
STOPS = 64  # colours along a relation
LEGEND_SIZE = (1600, 1000)  # px, size of the picture for which legends are laid out


def html(
    scene: Scene,
    *,
    title: str = "",
    commit: str = "",
    legends: bool = True,
    measure: Measure = rough_width,
    most: int = MOST_CURVES,
) -> bytes:
    """The page. Equal scenes give equal bytes.

    title     name of the subject; empty = the name of the graph. commit: id of the commit that is shown
    legends   include them
    most      largest number of curves; the page says if there are more
    """
    heading = [
        item.text for item in furniture.title(scene, *LEGEND_SIZE, title, commit=commit).items if isinstance(item, Text)
    ]
    subject = one_line(title or scene.graph.name)
    scene = in_one_gradient(scene)
    data, note = _data(scene, most)
    facts = "  ·  ".join([*heading[1:], *([note] if note else [])])
    script, style = sources()
    page = Template((files("cbvtool.export") / "scene.html").read_text("utf-8")).substitute(
        policy=content_policy([script], [style]),
        style=style,
        script=script,
        theme=scene.state.theme,
        subject=escape(subject),
        about=escape(f"3D circular bundle view of {subject}"),
        facts=escape(facts),
        legends="\n".join(_legends(scene, measure)) if legends else "",
        data=_json(data),
    )
    return page.encode("utf-8")


def sources() -> tuple[str, str]:
    """(script, style) of every page."""
    folder = files("cbvtool.export")
    script, style = ((folder / name).read_text("utf-8") for name in ("scene.js", "scene.css"))
    return script, style


def content_policy(scripts: Sequence[str], styles: Sequence[str], more: str = "") -> str:
    """Content security policy of a page: only these scripts and styles, word for word; load nothing, send nothing.

    more   further directives
    """
    script, style = (" ".join(map(_hash, texts)) for texts in (scripts, styles))
    return f"default-src 'none'; script-src {script}; style-src {style}; {more}base-uri 'none'; form-action 'none'"


def _data(scene: Scene, most: int) -> tuple[dict[str, Any], str]:
    """(data for the page, a note on what was left out)."""
    layout, tree, facts = scene.layout, scene.tree, item_facts(scene)
    count = len(scene.curves)
    rows = thinned(np.arange(count), scene.curve_lifted, most)
    rows = np.random.default_rng(0).permutation(rows)  # so that the first rows are an even sample of all
    at = np.rint(np.linspace(0, scene.curves.shape[1] - 1, SAMPLES)).astype(int)
    points = np.rint(scene.curves[rows][:, at, :2] / CURVE_SCALE)
    alpha = float(np.median(scene.curve_color[:, 0, 3])) / 255 if count else 0.0
    data = {
        "theme": scene.state.theme,
        "themes": {name: _theme(in_theme(scene, name)) for name in THEMES},
        "band0": float(layout.band0),
        "band1": float(layout.band1),
        "plane": PLANE_RADIUS,
        "alpha": round(min(alpha * opacity_share(count), 1.0), 4),
        "samples": SAMPLES,
        "curve_scale": CURVE_SCALE,
        "curve_width": CURVE_WIDTH,
        "names": facts.name,
        "paths": facts.path,
        "sorts": [
            " · ".join((sort, *said, *merged))
            for sort, said, merged in zip(facts.sort, facts.plan, facts.merged, strict=True)
        ],
        "values": facts.values,
        "uses": facts.uses.tolist(),
        "used": facts.used.tolist(),
        "items": {
            "a0": _packed(layout.a0, "f4"),
            "a1": _packed(layout.a1, "f4"),
            "r0": _packed(layout.r0, "f4"),
            "r1": _packed(layout.r1, "f4"),
            "height": _packed(scene.height, "f4"),
            "parent": _packed(tree.parent, "i4"),
            "end": _packed(tree.end, "i4"),
            "level": _packed(np.minimum(tree.level, 255), "u1"),
            "leaf": _packed(tree.leaf, "u1"),
        },
        "curves": {
            "points": _packed(points, "i2"),
            "source": _packed(scene.curve_source[rows], "i4"),
            "target": _packed(scene.curve_target[rows], "i4"),
            "thickness": _packed(np.rint(scene.thickness.factor[rows] * FINEST), "u1"),
        },
        "relations": {
            "source": _packed(scene.lifted.source, "i4"),
            "target": _packed(scene.lifted.target, "i4"),
            "count": _packed(scene.lifted.count, "i4"),
        },
    }
    return data, "" if len(rows) == count else f"{len(rows):,} of {count:,} curves drawn, evenly chosen"


def _theme(scene: Scene) -> dict[str, Any]:
    look = THEMES[scene.state.theme]
    last = scene.curve_color.shape[1] - 1
    shades = np.rint(np.linspace(0, last, STOPS)).astype(int)
    stops = scene.curve_color[0, shades, :3].tolist() if len(scene.curve_color) else [list(look.user[:3])]
    return {
        "ground": look.ground[:3],
        "plane": look.plane[:3],
        "text": look.text[:3],
        "stops": stops,
        "colors": _packed(scene.color[:, :3], "u1"),
    }


def _legends(scene: Scene, measure: Measure) -> list[str]:
    """Each legend in each theme, as a picture for the page."""
    found = []
    for name in THEMES:
        themed = in_theme(scene, name)
        cards = with_answers(
            furniture.legends(themed, *LEGEND_SIZE, measure=measure), themed, *LEGEND_SIZE, measure=measure
        )
        found += [_card(picture, what, name) for what, picture in cards.items()]
    return found


def _card(picture: Picture, what: str, theme: str) -> str:
    card = picture.items[0]
    assert isinstance(card, Rect)
    left, top, width, height = floor(card.x) - 1, floor(card.y) - 1, ceil(card.width) + 3, ceil(card.height) + 3
    lines = "".join(svg_items(picture.items))
    return (
        f'<svg class="legend {what} {theme}" role="img" aria-label="Legend: {what}" width="{width}" '
        f'height="{height}" viewBox="{left} {top} {width} {height}">{lines}</svg>'
    )


def _packed(column: npt.NDArray[Any], code: str) -> dict[str, str]:
    data = np.ascontiguousarray(column.astype(f"<{code}"))
    return {"type": code, "data": base64.b64encode(data.tobytes()).decode("ascii")}


def _json(data: object) -> str:
    """JSON in ASCII that cannot end an element or begin a comment, whatever names it contains."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
