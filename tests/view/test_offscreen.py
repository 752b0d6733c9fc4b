"""The picture without a window."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cbvtool.drawing import offscreen
from cbvtool.drawing.curve_layer import Part, window_for
from cbvtool.drawing.offscreen import PictureOptions, picture, save
from cbvtool.drawing.renderer import Renderer
from cbvtool.errors import InputError
from cbvtool.geometry.camera import TILT, Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.picture import Picture, Polyline
from cbvtool.geometry.scene.scene import Scene
from tests.geometry.scenes import scene_of, shop

SIZE = (800, 500)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(shop())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty one."""
    made = tmp_path / "pictures"
    made.mkdir()
    return made


def test_a_png_of_that_size(scene: Scene, folder: Path) -> None:
    """`cbvtool render -o out.png --size WxH`: that many pixels, and for fine screens twice as many."""
    save(picture(scene, PictureOptions(SIZE)), folder / "plain.png")
    save(picture(scene, PictureOptions(SIZE, 2)), folder / "fine.png")
    with Image.open(folder / "plain.png") as plain, Image.open(folder / "fine.png") as fine:
        assert (plain.format, plain.size, plain.mode) == ("PNG", SIZE, "RGB")
        assert fine.size == (1600, 1000)
        small = np.asarray(fine.reduce(2)).astype(int)
        assert np.abs(small - np.asarray(plain).astype(int)).mean() < 4  # the same picture, finer
    assert sorted(path.name for path in folder.iterdir()) == ["fine.png", "plain.png"]


def test_the_window_shows_the_same_picture(scene: Scene) -> None:
    """Design 7: one drawing path: away from labels and legends, the picture is the frame of the renderer."""
    camera = Camera(tilt=TILT).fitted(*SIZE, clear=furniture.corners(*SIZE))
    image = np.asarray(picture(scene, PictureOptions(SIZE), camera=camera))
    renderer = Renderer(*SIZE)
    renderer.show(scene)
    renderer.camera(camera)
    frame = renderer.frame()
    renderer.close()
    assert (image == frame).all(axis=2).mean() > 0.85
    inner = (slice(230, 270), slice(330, 470))  # the middle of the disc: nothing is written there
    np.testing.assert_array_equal(image[inner], frame[inner])


def test_names_stand_above_the_marks_of_an_answer(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """CBV-7: however many dependencies a finding would cut, what they belong to can be read."""
    red = (200, 0, 0, 255)

    def covering(scene: Scene, camera: Camera, width: int, height: int) -> Picture:
        corners = ((0.0, 0.0), (float(width), 0.0), (float(width), float(height)), (0.0, float(height)))
        return Picture(width, height, (Polyline(corners, red, 1.0, fill=red),))

    monkeypatch.setattr(offscreen, "answer_marks", covering)
    image = np.asarray(picture(scene, PictureOptions(SIZE, legends=False, heading=False))).astype(int)
    written = np.abs(image - np.array(red[:3])).sum(axis=2) > 60
    assert 0.005 < written.mean() < 0.2


def test_title_legends_and_labels_are_on_it(scene: Scene) -> None:
    """Title top left, heights top right, colours bottom left, relations bottom right, names."""
    image = np.asarray(picture(scene, PictureOptions((1280, 800), title="My shop"))).astype(int)
    ground = np.array(THEMES["light"].ground[:3])
    ink = np.abs(image - ground).sum(axis=2) > 150
    for rows, columns in (
        (slice(14, 60), slice(14, 200)),
        (slice(14, 140), slice(-240, None)),
        (slice(-100, None), slice(14, 230)),
        (slice(-90, None), slice(-200, None)),
    ):
        assert ink[rows, columns].sum() > 150


def test_from_above(scene: Scene) -> None:
    """`--top`: the disc is a circle: as wide as high; from the side it is not."""
    plane = np.array(THEMES["light"].plane[:3])

    def shape(top: bool) -> tuple[int, int]:
        rows, columns = np.nonzero((np.asarray(picture(scene, PictureOptions(SIZE), top=top)) == plane).all(axis=2))
        return int(np.ptp(columns)), int(np.ptp(rows))

    wide, high = shape(top=True)
    assert abs(wide - high) <= 3
    wide, high = shape(top=False)
    assert wide > 1.15 * high


def test_the_theme_is_that_of_the_scene() -> None:
    """Look-and-feel: a dark picture has a dark ground and pale letters."""
    image = np.asarray(picture(scene_of(shop(), theme="dark"), PictureOptions(SIZE)))
    assert image[2, 2].tolist() == list(THEMES["dark"].ground[:3])
    assert (image[14:60, 14:200].max(axis=(0, 1)) > 180).all()


def test_nothing_is_overwritten_when_it_fails(scene: Scene, folder: Path) -> None:
    """Bad input: a place that cannot be written is one sentence naming it, and nothing is left behind."""
    with pytest.raises(InputError, match="nowhere"):
        save(picture(scene, PictureOptions((64, 40))), folder / "nowhere" / "out.png")
    (folder / "folder.png").mkdir()
    with pytest.raises(InputError, match="folder"):
        save(picture(scene, PictureOptions((64, 40))), folder / "folder.png")
    assert [path.name for path in folder.iterdir()] == ["folder.png"]


RENDER = """
import sys
from pathlib import Path
from cbvtool.drawing.offscreen import PictureOptions, picture, save
from tests.geometry.scenes import scene_of, shop
save(picture(scene_of(shop()), PictureOptions((320, 200))), Path(sys.argv[1]))
loaded = {name.split(".")[0] for name in sys.modules}
unwanted = {"PyQt5", "PySide6", "qtpy", "matplotlib", "numba", "vtk"} & loaded
assert not unwanted, unwanted
"""


def test_render_loads_no_qt_and_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design 2: `render` without a window loads no Qt; without a display it draws and says nothing."""
    monkeypatch.setenv("PYTHONPATH", f"src{':' if sys.platform != 'win32' else ';'}.")
    monkeypatch.delenv("DISPLAY", raising=False)
    out = tmp_path / "out.png"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RENDER, str(out)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
    with Image.open(out) as image:
        assert image.size == (320, 200)


def test_tiles_are_the_picture(scene: Scene) -> None:
    """Larger than OpenGL draws at once: tiles of an odd grid give the frame that one call gives."""
    renderer = Renderer(*SIZE)
    renderer.show(scene)
    renderer.camera(Camera(tilt=TILT).fitted(*SIZE))
    whole = renderer.frame().astype(int)
    joined = np.zeros_like(whole)
    for top in range(0, SIZE[1], 190):
        for left in range(0, SIZE[0], 330):
            part = Part(left, top, min(330, SIZE[0] - left), min(190, SIZE[1] - top))
            joined[top : top + part.height, left : left + part.width] = renderer.tile(part)
    again = renderer.frame().astype(int)
    renderer.close()
    np.testing.assert_array_equal(again, whole)  # and frames are as they were
    assert np.abs(joined - whole).mean() < 0.2
    assert (np.abs(joined - whole).max(axis=2) > 40).mean() < 0.002


def test_a_large_picture_has_no_seams() -> None:
    """The texture of each tile reaches beyond it (at its edge it begins anew), with pixels as long as all others'."""
    size, radius = (6400, 4000), 0.7
    camera = Camera(tilt=TILT).fitted(1600, 1000)
    lengths = set()
    for top in range(0, size[1], 500):
        for left in range(0, size[0], 500):
            part = Part(left, top, 500, 500, 4)
            window = window_for(camera, radius, *size, part)
            assert window.hair == 4  # as wide as in a picture of usual size
            lengths.add(round(2 * window.half / window.pixels, 9))
            for x, y in ((left, top), (left + 500, top), (left, top + 500), (left + 500, top + 500)):
                at = np.clip(camera.on_disc(x, y, *size), -radius, radius)
                inside = window.half - np.abs(at - (window.x, window.y))
                assert (inside >= 0.04 * window.half).all()
    assert len(lengths) == 1


def test_transparent_over_any_ground(scene: Scene) -> None:
    """Laid over the ground of the theme, the transparent picture is the usual one."""
    clear, usual = picture(scene, PictureOptions(SIZE, transparent=True)), picture(scene, PictureOptions(SIZE))
    assert (clear.mode, usual.mode) == ("RGBA", "RGB")
    laid = Image.new("RGBA", SIZE, THEMES["light"].ground)
    laid.alpha_composite(clear)
    difference = np.abs(np.asarray(laid.convert("RGB")).astype(int) - np.asarray(usual).astype(int))
    assert difference.max() <= 3
    alpha = np.asarray(clear)[:, :, 3]
    assert alpha[6, 430] == 0
    assert alpha[250, 400] == 255


def test_too_large_is_said(scene: Scene) -> None:
    with pytest.raises(InputError, match="30,000 x 20,000 pixels is too large"):
        picture(scene, PictureOptions((1500, 1000), 20))


def test_without_legends_and_title(scene: Scene) -> None:
    """The corners are empty, and the ring takes their room."""
    bare = np.asarray(picture(scene, PictureOptions(SIZE, heading=False, legends=False))).astype(int)
    ground = np.array(THEMES["light"].ground[:3])
    for corner in (bare[:40, :120], bare[-40:, :120], bare[:20, -120:], bare[-40:, -120:]):
        assert (corner == ground).all()
