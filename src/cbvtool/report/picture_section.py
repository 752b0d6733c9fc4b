"""The picture: still, with its legends, for everybody and for print; and, on demand, to turn."""

from __future__ import annotations

from base64 import b64encode

from markupsafe import Markup

from cbvtool.export.html import html
from cbvtool.export.svg import svg
from cbvtool.geometry.overlay.flat import flat
from cbvtool.geometry.overlay.labels import Measure
from cbvtool.geometry.scene.scene import Scene, in_theme
from cbvtool.report.gathered import Gathered
from cbvtool.report.markup import element, verbatim

MOST_CURVES = 4_000  # of the still picture; the one to turn has more
MOST_TO_TURN = 12_000
_SIZE = (1280, 860)  # px


def picture_section(one: Gathered, measure: Measure) -> Markup:
    """The section."""
    scene = in_theme(one.scene, "light")
    name, commit = one.project.name, one.project.commit[:7]
    drawing = flat(scene, size=_SIZE, title=name, commit=commit, measure=measure, most=MOST_CURVES)
    still = b64encode(svg(drawing)).decode("ascii")
    page = html(scene, title=name, commit=commit, measure=measure, most=MOST_TO_TURN).decode("utf-8")
    words = picture_words(scene)
    turning = element(
        "iframe",
        title=f"The picture of {name}, to turn",
        sandbox="allow-scripts",
        loading="lazy",
        srcdoc=verbatim(page.replace("&", "&amp;").replace('"', "&quot;")),
    )
    parts = [
        element("h2", "The picture", id="picture"),
        element(
            "figure",
            Markup('<img alt="{}" width="{}" height="{}" src="data:image/svg+xml;base64,{}">').format(
                f"Circular bundle view of {name} from above. {words}", *_SIZE, still
            ),
            element("figcaption", words),
        ),
        element("details", element("summary", "Turn the picture"), turning, class_="turn"),
    ]
    return element("section", *parts, aria_labelledby="picture")


def picture_words(scene: Scene) -> str:
    """What width, colour, height and curves show, in words."""
    mapping, metrics = scene.state.mapping, scene.values.metrics
    shown = {name: metrics[getattr(mapping, name)].label.lower() for name in ("angle", "color", "height")}
    return (
        f"Each block at the rim is a folder or file: its width shows {shown['angle']}, its colour {shown['color']}, "
        f"and, where the picture is turned, its height {shown['height']}. Curves lead from what uses to what is used, "
        "and are narrower there."
    )
