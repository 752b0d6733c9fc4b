"""The picture without a window, as a PNG file: the frame of the renderer with labels and legends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from cbvtool.drawing.curve_layer import Part
from cbvtool.drawing.emphasis import Emphasis
from cbvtool.drawing.pillow_painter import paint, text_width
from cbvtool.drawing.renderer import Renderer
from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.geometry.camera import TILT, Box, Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.answer_legends import kept_clear, with_answers
from cbvtool.geometry.overlay.answer_marks import answer_marks
from cbvtool.geometry.overlay.levels import level_values, value_boxes
from cbvtool.geometry.overlay.plan_marks import plan_marks
from cbvtool.geometry.picture import Picture, Text
from cbvtool.geometry.scene.rings import tops
from cbvtool.geometry.scene.scene import Scene
from cbvtool.progress import Progress, silent

TILE = 512  # px: side of a tile of a large picture; drawing one takes about a twentieth of a second
AT_ONCE = 2_000_000  # pixels up to which a picture is drawn in one go
MOST_PIXELS = 400_000_000  # largest picture; it takes several bytes of memory for each pixel


@dataclass(frozen=True)
class PictureOptions:
    """The options of a picture.

    size         logical pixels; the picture has `scale` times as many
    title        name of the subject, empty = the name of the graph; commit: id of the commit that is shown
    heading      show the title; legends: show the legends
    transparent  leave the background transparent
    exactly      width and height of the picture in pixels, if rounding must not decide them
    """

    size: tuple[int, int] = (1600, 1000)
    scale: float = 1
    title: str = ""
    commit: str = ""
    heading: bool = True
    legends: bool = True
    transparent: bool = False
    exactly: tuple[int, int] | None = None

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.exactly or (round(self.size[0] * self.scale), round(self.size[1] * self.scale))


def picture(
    scene: Scene,
    options: PictureOptions = PictureOptions(),
    *,
    top: bool = False,
    camera: Camera | None = None,
    emphasis: Emphasis | None = None,
    progress: Progress = silent,
) -> Image.Image:
    """The picture of `scene` as an image in memory: RGB, or RGBA where it is transparent.

    top        look from straight above instead of from the side
    camera     view from this camera; None = one that shows the whole disc
    emphasis   what is highlighted

    Raises InputError if the picture would be too large, or if the machine has no OpenGL.
    """
    if math.prod(options.pixels) > MOST_PIXELS:
        wide, tall = options.pixels
        raise InputError(f"A picture of {wide:,} x {tall:,} pixels is too large: at most {MOST_PIXELS:,} are possible.")
    width, height = options.size
    if camera is None:
        side = Camera(tilt=0.0 if top else TILT)
        blocks = tops(scene.tree, scene.layout, scene.height)
        camera = side.fitted(width, height, clear=_clear(scene, options), blocks=blocks)
    around = _around(scene, options, camera, emphasis)
    theme = THEMES[scene.state.theme]
    grounds = (_BLACK, _WHITE) if options.transparent else (theme.ground,)
    renderer = Renderer(*options.pixels, scene.state.theme)
    try:
        renderer.show(scene)
        renderer.camera(camera)
        if emphasis is not None:
            renderer.highlight(emphasis)
        done: list[Image.Image] = []
        for ground in grounds:
            renderer.set_ground(ground)
            frame = _frame(renderer, options, partial(_share, progress, len(done), len(grounds)))
            done.append(paint(around, frame, options.scale))
    finally:
        renderer.close()
    progress("painting the picture", 0, 0)
    return _parted(*done) if options.transparent else done[0]


def _clear(scene: Scene, options: PictureOptions) -> list[Box]:
    """The boxes that disc and names must not cover: legends, and the title."""
    width, height = options.size
    boxes = kept_clear(scene, width, height, measure=text_width) if options.legends else []
    if options.heading:
        title = furniture.title(scene, width, height, options.title, commit=options.commit, measure=text_width)
        lines = [item for item in title.items if isinstance(item, Text)]
        wide = max(line.x + text_width(line.text, line.size, line.bold) for line in lines)
        boxes.append((0.0, 0.0, wide, lines[-1].y + lines[-1].size))
    return boxes


_BLACK, _WHITE = (0, 0, 0, 255), (255, 255, 255, 255)


def _around(scene: Scene, options: PictureOptions, camera: Camera, emphasis: Emphasis | None) -> Picture:
    """Names, title and legends."""
    width, height = options.size
    lit = None if emphasis is None else emphasis.items
    larger = None if emphasis is None else emphasis.partners
    values = level_values(scene, camera, width, height, measure=text_width)
    clear = [*_clear(scene, options), *value_boxes(values, text_width)]
    asked = None if emphasis is None else emphasis.found
    around = furniture.labels(
        scene, camera, width, height, measure=text_width, lit=lit, larger=larger, clear=clear, asked=asked
    )
    marks = plan_marks(scene, camera, width, height, measure=text_width) + answer_marks(scene, camera, width, height)
    around = marks + around
    if options.heading:
        around += furniture.title(scene, width, height, options.title, commit=options.commit, measure=text_width)
    around += values
    if not options.legends:
        return around
    legends = furniture.legends(scene, width, height, camera=camera, measure=text_width)
    return sum(with_answers(legends, scene, width, height, measure=text_width).values(), around)


def _frame(renderer: Renderer, options: PictureOptions, progress: Progress) -> Image.Image:
    """The frame of the renderer, drawn at once or tile by tile."""
    wide, tall = options.pixels
    if options.scale == 1 and wide * tall <= AT_ONCE:
        return Image.fromarray(renderer.frame())
    image = Image.new("RGB", (wide, tall))
    parts = [
        Part(left, top, min(TILE, wide - left), min(TILE, tall - top), options.scale)
        for top in range(0, tall, TILE)
        for left in range(0, wide, TILE)
    ]
    for number, part in enumerate(parts):
        progress("drawing the picture", number, len(parts))
        image.paste(Image.fromarray(renderer.tile(part)), (part.left, part.top))
    return image


def _share(progress: Progress, done: int, all_rounds: int, what: str, number: int, count: int) -> None:
    """Report the progress of one of several rounds as a share of the whole."""
    progress(what, done * count + number, all_rounds * count)


def _parted(black: Image.Image, white: Image.Image) -> Image.Image:
    """RGBA without the ground, from the same picture over black and over white (Smith and Blinn, "Blue screen matting",
    1996: two grounds determine opacity and colour of every pixel).
    """
    result = Image.new("RGBA", black.size)
    for top in range(0, black.height, TILE):
        box = (0, top, black.width, min(top + TILE, black.height))
        on_black, on_white = (np.asarray(image.crop(box), np.float32) for image in (black, white))
        alpha = 255 - (on_white - on_black).mean(axis=2, keepdims=True).clip(0, 255)
        color = (on_black * 255 / np.maximum(alpha, 1)).clip(0, 255)
        pixels = np.rint(np.concatenate((color, alpha), axis=2)).astype(np.uint8)
        result.paste(Image.fromarray(pixels, "RGBA"), (0, top))
    return result


def save(image: Image.Image, path: Path) -> None:
    """Write a PNG file; it appears whole or not at all.

    Raises InputError when it cannot be written.
    """
    with replacing(path) as file:
        image.save(file, "PNG")
