"""The picture without a window: the renderer's frame with labels and legends, as a PNG file."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from cbvtool.formats.atomic import replacing
from cbvtool.geometry import furniture
from cbvtool.geometry.camera import TILT, Camera
from cbvtool.geometry.scene import Scene
from cbvtool.view.pillow_painter import paint, text_width
from cbvtool.view.renderer import Renderer


def render_png(
    scene: Scene, path: Path | str, *, size: tuple[int, int] = (1600, 1000), top: bool = False, title: str = "",
    commit: str = "", scale: int = 1, camera: Camera | None = None,
) -> None:  # fmt: skip
    """Write the picture of `scene` to the PNG file `path`.

    size    of the picture in pixels; with `scale` 2 it has twice as many in each direction, for fine screens
    top     look from straight above instead of from the side
    title   what the subject is called; empty = the name of the graph
    camera  where to look from instead; None = everything is seen

    The file appears whole or not at all. Raises InputError when it cannot be written, and where the machine has
    no OpenGL.
    """
    save(picture(scene, size=size, top=top, title=title, commit=commit, scale=scale, camera=camera), Path(path))


def picture(
    scene: Scene, *, size: tuple[int, int] = (1600, 1000), top: bool = False, title: str = "", commit: str = "",
    scale: int = 1, camera: Camera | None = None,
) -> Image.Image:  # fmt: skip
    """As `render_png`, as an image in memory."""
    width, height = size
    if camera is None:
        side = Camera(tilt=0.0 if top else TILT)
        camera = side.fitted(width, height, clear=furniture.corners(width, height))
    renderer = Renderer(width * scale, height * scale, scene.state.theme)
    try:
        renderer.show(scene)
        renderer.camera(camera)
        image = Image.fromarray(renderer.frame())
    finally:
        renderer.close()
    around = (
        furniture.labels(scene, camera, width, height, measure=text_width)
        + furniture.title(scene, width, height, title, commit=commit, measure=text_width)
        + furniture.color_legend(scene, width, height, measure=text_width)
        + furniture.height_legend(scene, width, height, camera=camera, measure=text_width)
        + furniture.relation_legend(scene, width, height, measure=text_width)
    )
    return paint(around, image, scale)


def save(image: Image.Image, path: Path) -> None:
    """Write a PNG file, whole or not at all.

    Raises InputError when it cannot be written.
    """
    with replacing(path) as file:
        image.save(file, "PNG")
