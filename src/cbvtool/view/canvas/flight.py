"""The camera over the disc, and its flights from one place to another."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QObject, QSize, QVariantAnimation

from cbvtool.geometry.camera import TILT, Box, Camera
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.answer_legends import kept_clear
from cbvtool.geometry.overlay.minimap import map_box
from cbvtool.geometry.scene.rings import tops
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.named_views import Viewpoint
from cbvtool.view.canvas.motion import GLIDE, animation
from cbvtool.view.canvas.qt_painter import text_width
from cbvtool.view.toolkit.settings import Settings

OPENING = 600  # ms from above to tilted
TURN = 300  # ms for a turn of the camera that a key asked for


class Flight(QObject):
    """The camera of a stage. It follows size and scene, unless the user has chosen where to look from.

    scene    what is shown, or will be; None = nothing
    size     of the canvas in logical pixels
    opened   the first frame of the subject has been painted; until then the camera stays above
    """

    def __init__(self, settings: Settings, moved: Callable[[], None], parent: QObject) -> None:
        """`moved` is called whenever the camera has moved, but by `resize` and `start_above`."""
        super().__init__(parent)
        self._settings = settings
        self._moved = moved
        self.scene: Scene | None = None
        self.size = QSize(1, 1)
        self.opened = False
        self._camera = Camera.fit(1, 1)
        self._fitted = True  # the user has not chosen where to look from
        self._clear: list[Box] = []  # what the disc was kept out of
        self._route = (self._camera, self._camera)
        self._animation = animation(self, self._fly)
        self._turned = 0.0  # radians, for as long as something is dragged
        self._ends = (self._camera, self._camera)  # before that turn, and after it
        self._turning = False  # it is on its way there or back

    @property
    def camera(self) -> Camera:
        """Where it is now."""
        return self._camera

    @property
    def flies(self) -> bool:
        """Whether it is on its way."""
        return self._animation.state() == QVariantAnimation.State.Running

    @property
    def viewpoint(self) -> Viewpoint:
        """Where it is, or will be, for a named view."""
        return Viewpoint(self._route[1] if self.flies else self._camera, self._fitted)

    # -- the user's ways -----------------------------------------------------------------------------------

    def look(self, camera: Camera) -> None:
        """Look from there now; the user has chosen it."""
        self.stop()
        self._fitted = False
        self._look(camera)

    def fit(self) -> None:
        """Show everything, from the present side."""
        self._fly_to(self.fitted_from(self._camera), TURN)
        self._fitted = True

    def toggle_top(self) -> None:
        """Look from above; from above, tilt again."""
        target = self._camera.with_(tilt=0.0 if self._camera.tilt > 1.0 else TILT)
        self._fly_to(self.fitted_from(target) if self._fitted else target, TURN)

    def go_over(self, spot: tuple[float, float]) -> None:
        """Fly over that spot of the disc."""
        self._fitted = False
        self._fly_to(self._camera.with_(center=spot), TURN)

    def go_to(self, viewpoint: Viewpoint) -> None:
        """Fly to where a named view was seen from."""
        self._fly_to(self.fitted_from(viewpoint.camera) if viewpoint.fitted else viewpoint.camera, TURN)
        self._fitted = viewpoint.fitted

    def stop(self) -> None:
        """Stay where it is; what turns with a drag is there."""
        flies = self.flies
        self._animation.stop()
        if flies and self._turning:
            self._turning = False
            self._look(self._route[1])

    # -- what the stage asks for ---------------------------------------------------------------------------

    def start_above(self) -> None:
        """Another subject: it is seen from above until its first frame has been painted."""
        self.opened, self._fitted = False, True
        self.stop()
        self._turned = 0.0
        self._camera = self._above()

    def open(self) -> None:
        """The first frame of the subject has been painted: tilt."""
        self.opened = True
        if not self._settings.reduced_motion:
            self._fly_to(self.fitted_from(Camera(tilt=TILT)), OPENING)
            self._fitted = True

    def turn(self, by: float) -> None:
        """Turn with the ring, by radians, until `turn_back`: the ring closes up around the pointer."""
        start = self._route[1] if self.flies else self._camera
        self._turned += by
        self._ends = start, start.turned(by)
        self._turn_to(self._ends[1])

    def turn_back(self) -> None:
        """Nothing is dragged any more: look from where it was before, or, if that was changed since, as far round."""
        if not self._turned:
            return
        now = self._route[1] if self.flies else self._camera
        before, after = self._ends
        self._turn_to(before if now == after else now.turned(-self._turned))
        self._turned = 0.0

    def _turn_to(self, target: Camera) -> None:
        self._fly_to(target, GLIDE)
        self._turning = True

    def resize(self, size: QSize) -> None:
        """The canvas has another size."""
        self.size = size
        if self._fitted:
            self.stop()
            self._camera = self.fitted_from(self._camera) if self.opened else self._above()

    def make_room(self) -> None:
        """Keep the disc out of legends that became larger, or smaller."""
        if self._fitted and self.opened and self._corners() != self._clear:
            self._fly_to(self.fitted_from(self._camera), TURN)

    def fitted_from(self, camera: Camera) -> Camera:
        """From the side of `camera`, with the whole disc between the legends."""
        scene, self._clear = self.scene, self._corners()
        blocks = None if scene is None else tops(scene.tree, scene.layout, scene.height)
        return camera.fitted(self.size.width(), self.size.height(), clear=self._clear, blocks=blocks)

    def _corners(self) -> list[Box]:
        return corners(self.scene, self.size, has_map=self._settings.minimap)

    def _above(self) -> Camera:
        return self.fitted_from(Camera(tilt=TILT if self._settings.reduced_motion else 0.0))

    def _look(self, camera: Camera) -> None:
        self._camera = camera
        self._moved()

    def _fly_to(self, target: Camera, duration: int) -> None:
        self._animation.stop()
        self._turning = False
        if self._settings.reduced_motion:
            self._look(target)
            return
        self._route = (self._camera, target)
        self._animation.setDuration(duration)
        self._animation.start()

    def _fly(self, share: float) -> None:
        self._look(Camera.between(*self._route, share) if share < 1 else self._route[1])


def corners(scene: Scene | None, size: QSize, *, has_map: bool) -> list[Box]:
    """Where disc and names keep out of: the legends, and the mini-map while it stays.

    size     of the canvas in logical pixels
    has_map  the user wants a mini-map
    """
    wide, tall = size.width(), size.height()
    if scene is None:
        return furniture.corners(wide, tall)
    legends = kept_clear(scene, wide, tall, measure=text_width)
    if scene.state.root == scene.graph.root or not has_map:
        return legends
    box = map_box(wide, tall, legends)
    return legends if box is None else [*legends, box]
