"""Animates the transition between scenes: small scenes glide, large ones fade (design 3)."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QEasingCurve, QObject, QVariantAnimation

from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.scene.transition import Way, alike, way
from cbvtool.view.toolkit.settings import Settings

GLIDE = 200  # ms for a change of the layout


class Motion(QObject):
    """Belongs to a stage, and tells it what to show.

    slid   called with what makes a scene of the transition, and the opacity of its relations, 0..1; None = the end
    faded  called when `veil` has changed
    """

    def __init__(
        self,
        settings: Settings,
        slid: Callable[[Callable[[], Scene] | None, float], None],
        faded: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._slid, self._faded = slid, faded
        self._way: Way | None = None
        self._glide = animation(self, self._slide, GLIDE)
        self._glide.setObjectName("glide")
        self._veil = animation(self, self._fade, GLIDE)
        self.veil = 0.0  # opacity of the previous frame

    @property
    def moves(self) -> bool:
        """Whether a transition is in progress."""
        return self._way is not None or self.veil > 0

    def lead(self, shown: Scene | None, scene: Scene) -> bool:
        """Start the transition from the current state to `scene`; False = `scene` must be shown at once."""
        if self._way is not None and alike(self._way.after, scene):
            return True  # that transition is in progress already
        if shown is not None and alike(shown, scene):
            return False
        found = None if shown is None or self._settings.reduced_motion else way(shown, scene)
        self.stop()
        self._way = found
        if found is not None:
            self._glide.start()
        elif shown is not None and not self._settings.reduced_motion:
            self.veil = 1.0
            self._veil.start()
        return found is not None

    def stop(self) -> None:
        """Stop any transition where it is."""
        self._glide.stop()
        self._veil.stop()
        self._way, self.veil = None, 0.0

    def _slide(self, share: float) -> None:
        if (found := self._way) is None:
            return
        if share < 1:
            self._slid(lambda: found.at(share), found.fading(share))
        else:
            self._way = None
            self._slid(None, 1.0)

    def _fade(self, share: float) -> None:
        self.veil = 1.0 - share
        self._faded()


def animation(parent: QObject, step: Callable[[float], None], duration: int = 0) -> QVariantAnimation:
    """An animation from 0 to 1 that begins fast and ends slowly; `duration` in ms."""
    made = QVariantAnimation(parent)
    made.setStartValue(0.0)
    made.setEndValue(1.0)
    made.setDuration(duration)
    made.setEasingCurve(QEasingCurve.Type.OutCubic)
    made.valueChanged.connect(lambda share: step(float(share)))
    return made
