"""The camera over the disc, and its flights from one place to another."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QObject, QPoint, QSize, QVariantAnimation

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
TURN = 300  # ms for a turn of the camera by a key


class Flight(QObject):
    """The camera of a stage. It adapts to size and scene until the user chooses a viewpoint.

    scene    scene that is shown, or will be; None = none
    size     of the canvas in logical pixels
    opened   whether the first frame of the subject has been painted; until then the camera stays above
    """

    def __init__(self, settings: Settings, moved: Callable[[], None], parent: QObject) -> None:
        """`moved` is called whenever the camera has moved, except by `resize` and `start_above`."""
        super().__init__(parent)
        self._settings = settings
        self._moved = moved
        self.scene: Scene | None = None
        self.size = QSize(1, 1)
        self.opened = False
        self._camera = Camera.fit(1, 1)
        self._fitted = True  # whether the camera is fitted, not chosen by the user
        self._room: tuple[list[Box], bool] = [], False  # legends for which the disc left room
        self._route = (self._camera, self._camera)
        self._animation = animation(self, self._fly)
        self._turned = 0.0  # turn in radians, during a drag
        self._ends: tuple[Camera, Camera] | None = None  # before the first flight of a drag, and after the last one
        self._holding = False  # whether such a flight is in progress

    @property
    def camera(self) -> Camera:
        """The current camera."""
        return self._camera

    @property
    def flies(self) -> bool:
        """Whether a flight is in progress."""
        return self._animation.state() == QVariantAnimation.State.Running

    @property
    def viewpoint(self) -> Viewpoint:
        """The viewpoint for a named view: the end of a flight, or the current one."""
        return Viewpoint(self._route[1] if self.flies else self._camera, self._fitted)

    # -- the user's ways -----------------------------------------------------------------------------------

    def look(self, camera: Camera) -> None:
        """Set the camera now, by choice of the user."""
        self.stop()
        self._fitted = False
        self._look(camera)

    def fit(self) -> None:
        """Show everything, from the current direction."""
        self._fly_to(self.fitted_from(self._camera), TURN)
        self._fitted = True

    def toggle_top(self) -> None:
        """Look from straight above; if it does already, tilt again."""
        target = self._camera.with_(tilt=0.0 if self._camera.tilt > 1.0 else TILT)
        self._fly_to(self.fitted_from(target) if self._fitted else target, TURN)

    def go_over(self, spot: tuple[float, float]) -> None:
        """Fly to a point of the disc."""
        self._fitted = False
        self._fly_to(self._camera.with_(center=spot), TURN)

    def go_to(self, viewpoint: Viewpoint) -> None:
        """Fly to the viewpoint of a named view."""
        self._fly_to(self.fitted_from(viewpoint.camera) if viewpoint.fitted else viewpoint.camera, TURN)
        self._fitted = viewpoint.fitted

    def stop(self) -> None:
        """Stop where it is; a flight of a drag jumps to its end."""
        flies = self.flies
        self._animation.stop()
        if flies and self._holding:
            self._holding = False
            self._look(self._route[1])

    # -- what the stage asks for ---------------------------------------------------------------------------

    def start_above(self) -> None:
        """Show a new subject from above until its first frame has been painted."""
        self.opened, self._fitted = False, True
        self.stop()
        self._turned, self._ends = 0.0, None
        self._camera = self._above()

    def open(self) -> None:
        """Tilt, once the first frame of the subject has been painted."""
        self.opened = True
        if not self._settings.reduced_motion:
            self._fly_to(self.fitted_from(Camera(tilt=TILT)), OPENING)
            self._fitted = True

    def turn(self, by: float) -> None:
        """Turn with the ring, by radians, until `turn_back`, because the ring closes up around the pointer."""
        self._turned += by
        self._hold(self._now.turned(by))

    def keep_under(self, point: tuple[float, float], place: QPoint) -> None:
        """Move so that a point of the disc lies at a pixel, until `turn_back`, because the rings have moved."""
        self._hold(self._now.with_point_at(point, place.x(), place.y(), self.size.width(), self.size.height()))

    def turn_back(self) -> None:
        """Return to the camera before the drag, or, if the user has changed it since, turn back by the angle."""
        if self._ends is None:
            return
        now, (before, after) = self._now, self._ends
        target = before if now == after else now.turned(-self._turned)
        self._turned, self._ends = 0.0, None
        if target != now:
            self._fly_to(target, GLIDE)
            self._holding = True

    @property
    def _now(self) -> Camera:
        """The current camera, or the end of a flight."""
        return self._route[1] if self.flies else self._camera

    def _hold(self, target: Camera) -> None:
        now = self._now
        before = self._ends[0] if self._ends is not None and self._ends[1] == now else now
        self._ends = before, target
        self._fly_to(target, GLIDE)
        self._holding = True

    def resize(self, size: QSize) -> None:
        """Adapt to a new size of the canvas."""
        self.size = size
        if self._fitted:
            self.stop()
            self._camera = self.fitted_from(self._camera) if self.opened else self._above()

    def make_room(self) -> None:
        """Adapt to legends that became larger or smaller; answers and the legend of the plan move nothing."""
        if self._fitted and self.opened and self._legends() != self._room:
            self._fly_to(self.fitted_from(self._camera), TURN)

    def fitted_from(self, camera: Camera) -> Camera:
        """The camera from the direction of `camera` that shows the whole disc between the legends."""
        scene, self._room = self.scene, self._legends()
        clear = corners(scene, self.size, has_map=self._settings.minimap, plans=True)
        blocks = None if scene is None else tops(scene.tree, scene.layout, scene.height)
        return camera.fitted(self.size.width(), self.size.height(), clear=clear, blocks=blocks)

    def _legends(self) -> tuple[list[Box], bool]:
        """(the boxes of the usual legends, whether the view is restricted, so that there may be a mini-map)."""
        scene, size = self.scene, self.size
        part = scene is not None and scene.state.root != scene.graph.root
        return furniture.corners(size.width(), size.height(), scene), part and self._settings.minimap

    def _above(self) -> Camera:
        return self.fitted_from(Camera(tilt=TILT if self._settings.reduced_motion else 0.0))

    def _look(self, camera: Camera) -> None:
        self._camera = camera
        self._moved()

    def _fly_to(self, target: Camera, duration: int) -> None:
        self._animation.stop()
        self._holding = False
        if self._settings.reduced_motion:
            self._look(target)
            return
        self._route = (self._camera, target)
        self._animation.setDuration(duration)
        self._animation.start()

    def _fly(self, share: float) -> None:
        self._look(Camera.between(*self._route, share) if share < 1 else self._route[1])


def corners(scene: Scene | None, size: QSize, *, has_map: bool, plans: bool = False) -> list[Box]:
    """The boxes that disc and names avoid: the legends, and the mini-map while it is shown.

    size     of the canvas in logical pixels
    has_map  whether the user wants a mini-map
    plans    keep the place for the card of a plan, too, while nothing is planned
    """
    wide, tall = size.width(), size.height()
    if scene is None:
        return furniture.corners(wide, tall)
    legends = kept_clear(scene, wide, tall, measure=text_width, plans=plans)
    if scene.state.root == scene.graph.root or not has_map:
        return legends
    box = map_box(wide, tall, legends)
    return legends if box is None else [*legends, box]
