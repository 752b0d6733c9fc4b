"""The camera over the disc, as a value: where it looks, and where points of the scene are seen.

The convention is VTK's: a perspective camera with a vertical view angle, position, focal point and view-up.
Pixels are counted from the top left corner of the picture; the centre of the first pixel is (0.5, 0.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from math import cos, degrees, exp, log, radians, sin, tan
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.scales import TALLEST

Points = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]

STEEPEST = 75.0  # degrees of tilt; beyond it the disc is a line
TILT = 38.0  # degrees: where the camera rests after it has opened from above
MOST_AWAY = 1.5  # factor on the distance: how far the camera may back off to keep the disc clear of legends
TOP = np.array([0.0, 0.0, TALLEST])  # from the foot of the tallest block to its top
NEAREST, FARTHEST = 0.05, 20.0  # distance, in radii of the disc
HERE = 1e-9  # depth used for a point at the camera itself, so that its pixel stays finite
ORBIT_SPEED = 0.4  # degrees for one pixel
CLOSE = 360  # points of a circle when it is compared with a box
APART = 3.0  # px between disc and box: the disc may bulge between two points
HAIR = 0.02  # px of overlap that do not count
CLOSE_ENOUGH = 0.0006  # radii of the disc at which the search for a distance stops: a tenth of a pixel
WAYS = 24  # shifts tried in each direction to move the disc out of the legends
MOST_KNOWN_BY = 4096  # largest number of block tops for which a fit is cached
MARGIN = 1.13  # radius that `fit` brings into the picture: the disc and the names around it

Box = tuple[float, float, float, float]  # x, y, width, height in pixels


@dataclass(frozen=True)
class Camera:
    """A camera that looks at `center` on the disc.

    azimuth   degrees clockwise by which the view is turned: the direction of the disc that points up in the picture
    tilt      degrees from straight above, 0..75
    center    (x, y) on the disc, in radii of the disc
    distance  from the camera to `center`, in radii of the disc
    fov       vertical view angle in degrees
    """

    azimuth: float = 0.0
    tilt: float = 0.0
    center: tuple[float, float] = (0.0, 0.0)
    distance: float = 4.2
    fov: float = 30.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "azimuth", float(self.azimuth) % 360.0)
        object.__setattr__(self, "tilt", min(max(float(self.tilt), 0.0), STEEPEST))
        object.__setattr__(self, "distance", min(max(float(self.distance), NEAREST), FARTHEST))
        object.__setattr__(self, "center", (float(self.center[0]), float(self.center[1])))

    @staticmethod
    def fit(width: int, height: int, tilt: float = TILT, azimuth: float = 0.0) -> Camera:
        """The whole disc, with room for labels around it, in a picture of that size."""
        return Camera(azimuth, tilt).fitted(width, height)

    def fitted(self, width: int, height: int, clear: Sequence[Box] = (), blocks: Points | None = None) -> Camera:
        """The same direction, moved so that the whole disc with all blocks is seen, in the middle of the picture.

        clear   boxes (x, y, width, height) in pixels that the disc must not cover, such as legends in the corners. The
                disc lies beside the middle if that leaves it larger. If it would become too small, it avoids as many of
                the boxes as it can
        blocks  float64[k, 3]: tops of blocks that must not cover the boxes either; None = blocks of usual height
        """
        if blocks is None:
            blocks = _circle(CLOSE) + TOP / 2
        blocks = np.ascontiguousarray(blocks, np.float64)
        if len(blocks) > MOST_KNOWN_BY:
            return self._fitted(width, height, clear, blocks)
        return _known_fit(self, width, height, tuple(clear), blocks.tobytes())

    def _fitted(self, width: int, height: int, clear: Sequence[Box], blocks: Points) -> Camera:
        nearest = self._nearest((), width, height, blocks, 1.5, FARTHEST)
        assert nearest is not None
        most = nearest.distance * MOST_AWAY
        for count in range(len(clear), 0, -1):
            kept_out = [
                self._nearest(boxes, width, height, blocks, nearest.distance, most)
                for boxes in combinations(clear, count)
            ]
            if near_enough := [camera for camera in kept_out if camera is not None and camera.distance <= most]:
                return min(near_enough, key=lambda camera: camera.distance)
        return nearest

    def _nearest(
        self, clear: Sequence[Box], width: int, height: int, blocks: Points, near: float, far: float
    ) -> Camera | None:
        """This camera moved to the nearest distance at which nothing is cut off and the disc covers no box.

        near, far  limits of the search. None = there is no such distance up to `far`; without boxes, `far` always works
        """
        rim = np.concatenate((MARGIN * _circle(72), _circle(72) + TOP))
        disc = np.concatenate((_circle(CLOSE), blocks))
        if clear and self._centered(rim, far)._way_to_free(rim, disc, clear, width, height) is None:
            return None
        while far - near > CLOSE_ENOUGH:
            camera = self._centered(rim, (near + far) / 2)
            good = camera._way_to_free(rim, disc, clear, width, height) is not None
            near, far = (near, camera.distance) if good else (camera.distance, far)
        for _ in range(20):  # off the middle, perspective changes the outline of the disc
            camera = self._centered(rim, far)
            way = camera._way_to_free(rim, disc, clear, width, height)
            if way is not None and any(way):
                camera = camera.panned(*way, width, height)
                way = camera._way_to_free(rim, disc, clear, width, height)
            if way == (0.0, 0.0):
                break
            far *= 1.005
        return camera

    def _way_to_free(
        self, rim: Points, disc: Points, clear: Sequence[Box], width: int, height: int
    ) -> tuple[float, float] | None:
        """The smallest shift (x, y) in pixels that brings `rim` into the picture and `disc` out of every box.

        None = there is no such shift. The result is approximate: perspective changes the outline of what is moved.
        """
        pixels = self.project(rim, width, height)[0]
        low, high = -pixels.min(axis=0), (width, height) - pixels.max(axis=0)
        if (low > high).any():
            return None
        ways = [np.linspace(least, most, WAYS) for least, most in zip(low, high, strict=True)]
        if (low < HAIR).all() and (high > -HAIR).all():
            ways = [np.append(0.0, way) for way in ways]
        across, down = ways
        good = np.ones((len(across), len(down)), np.bool_)
        x, y = self.project(disc, width, height)[0].T
        for left, top, wide, tall in clear:
            right, bottom = left + wide + APART, top + tall + APART
            left, top = left - APART, top - APART
            within = (x + across.max() > left) & (x + across.min() < right)
            within &= (y + down.max() > top) & (y + down.min() < bottom)  # for some shift
            if not within.any():
                continue
            moved_x, moved_y = x[within] + across[:, None], y[within] + down[:, None]
            beside, above = (moved_x > left) & (moved_x < right), (moved_y > top) & (moved_y < bottom)
            good &= beside.astype(np.float32) @ above.T.astype(np.float32) == 0  # no point is in the box
        if not good.any():
            return None
        far = np.where(good, np.hypot(across[:, None], down), np.inf)
        row, column = np.unravel_index(int(far.argmin()), far.shape)
        return float(across[row]), float(down[column])

    def _centered(self, rim: Points, distance: float) -> Camera:
        """The camera at `distance`, with as much room above the rim as below it, in spite of perspective."""
        right_up_ahead = rim @ self.frame.T  # axes of the view from above the middle of the disc
        upward, away = right_up_ahead[:, 1], right_up_ahead[:, 2] + distance
        rise, depth = cos(radians(self.tilt)), sin(radians(self.tilt))

        def too_high(middle: float) -> float:
            height_seen = (upward - middle * rise) / (away - middle * depth)
            return float(height_seen.min() + height_seen.max())

        middle = _root(too_high, -1.0, 1.0)
        turn = radians(self.azimuth)
        return replace(self, distance=distance, center=(middle * sin(turn), middle * cos(turn)))

    def with_(self, **changes: Any) -> Camera:
        """The same camera with some values replaced."""
        return replace(self, **changes)

    def orbited(self, dx: float, dy: float) -> Camera:
        """Turned by a drag of (dx, dy) pixels: the near side of the disc follows the pointer; never upside down.

        The disc turns about its own middle, which stays where it is seen.
        """
        aside = self.turned(radians(ORBIT_SPEED * dx))
        return replace(aside, tilt=self.tilt - ORBIT_SPEED * dy)

    def orbited_whole(self, dx: float, dy: float, width: int, height: int) -> Camera:
        """As `orbited`; if the whole disc was in the picture before, it still is afterwards.

        A disc seen more from above takes more height, so that the camera moves away; it does not come nearer again by
        itself.
        """
        after = self.orbited(dx, dy)
        if after._shows_all(width, height) or not self._shows_all(width, height):
            return after
        whole = replace(after, center=(0.0, 0.0))._nearest((), width, height, np.empty((0, 3)), 1.5, FARTHEST)
        assert whole is not None
        return replace(whole, distance=max(after.distance, whole.distance))

    def _shows_all(self, width: int, height: int) -> bool:
        """Whether the whole disc lies in the picture."""
        pixels, depth = self.project(_circle(72), width, height)
        return bool((depth > 0).all() and (pixels >= 0).all() and (pixels <= (width, height)).all())

    def turned(self, by: float) -> Camera:
        """As if the disc were turned by `by` radians about its middle, counter-clockwise seen from above."""
        x, y = self.center
        center = (x * cos(by) + y * sin(by), y * cos(by) - x * sin(by))
        return replace(self, azimuth=self.azimuth + degrees(by), center=center)

    def panned(self, dx: float, dy: float, width: int, height: int) -> Camera:
        """Moved so that the point in the middle of the picture follows the pointer by (dx, dy) pixels."""
        there = self.on_disc(width / 2 - dx, height / 2 - dy, width, height)
        if there is None:
            return self
        away = np.subtract(there, self.center)
        far = float(np.hypot(*away))
        most = 2 * self.distance  # near the horizon one pixel covers a very long distance
        return self._moved(away * min(1.0, most / far) if far > 0 else away)

    def with_point_at(self, point: tuple[float, float], px: float, py: float, width: int, height: int) -> Camera:
        """Moved so that a point of the disc is seen at pixel (px, py); itself if the disc's plane is not seen there."""
        there = self.on_disc(px, py, width, height)
        return self if there is None else self._moved(np.subtract(point, there))

    def zoomed_at(self, factor: float, px: float, py: float, width: int, height: int) -> Camera:
        """Nearer by `factor` (> 1) or farther (< 1). The point of the disc at pixel (px, py) stays there.

        The point moves only if `center` would otherwise be more than 2 radii from the middle of the disc.
        """
        zoomed = replace(self, distance=self.distance / factor)
        before = self.on_disc(px, py, width, height)
        after = zoomed.on_disc(px, py, width, height)
        if before is None or after is None:
            return zoomed
        return zoomed._moved(np.subtract(before, after))

    def _moved(self, by: Vector) -> Camera:
        x, y = np.clip(np.add(self.center, by), -2.0, 2.0).tolist()  # so that the disc cannot get lost
        return replace(self, center=(x, y))

    @staticmethod
    def between(a: Camera, b: Camera, t: float) -> Camera:
        """On the way from `a` (t = 0) to `b` (t = 1), turning the shorter way round."""
        turn = (b.azimuth - a.azimuth + 180.0) % 360.0 - 180.0
        return Camera(
            a.azimuth + t * turn,
            a.tilt + t * (b.tilt - a.tilt),
            (a.center[0] + t * (b.center[0] - a.center[0]), a.center[1] + t * (b.center[1] - a.center[1])),
            exp(log(a.distance) + t * (log(b.distance) - log(a.distance))),
            a.fov + t * (b.fov - a.fov),
        )

    @cached_property
    def frame(self) -> Points:
        """float64[3, 3]: unit vectors to the right, up, and from the camera into the picture."""
        turn, tilt = radians(self.azimuth), radians(self.tilt)
        ahead = np.array([sin(turn), cos(turn), 0.0])
        above = np.array([0.0, 0.0, 1.0])
        right = np.array([cos(turn), -sin(turn), 0.0])
        return np.stack((right, cos(tilt) * ahead + sin(tilt) * above, sin(tilt) * ahead - cos(tilt) * above))

    @property
    def position(self) -> tuple[float, float, float]:
        """Where the camera stands."""
        x, y, z = (np.array(self.focal_point) - self.distance * self.frame[2]).tolist()
        return x, y, z

    @property
    def focal_point(self) -> tuple[float, float, float]:
        """The point that the camera looks at."""
        return (*self.center, 0.0)

    @property
    def up(self) -> tuple[float, float, float]:
        """The direction that is up in the picture."""
        x, y, z = self.frame[1].tolist()
        return x, y, z

    def project(self, points: npt.NDArray[Any], width: int, height: int) -> tuple[Points, Vector]:
        """Pixels and depths of points: (float64[k, 2] pixels, float64[k] depth along the view direction).

        points  [k, 3]. Points behind the camera have a negative depth; their pixels, and those of the camera itself,
                mean nothing.
        """
        seen = (np.asarray(points, np.float64) - self.position) @ self.frame.T
        depth = seen[:, 2]
        scale = height / (2 * tan(radians(self.fov) / 2)) / np.where(np.abs(depth) < HERE, HERE, depth)
        return np.stack((width / 2 + seen[:, 0] * scale, height / 2 - seen[:, 1] * scale), axis=1), depth

    def ray(self, px: float, py: float, width: int, height: int) -> tuple[Vector, Vector]:
        """(float64[3] position of the camera, float64[3] unit direction) through pixel (px, py)."""
        half = tan(radians(self.fov) / 2)
        across, upward = (px - width / 2) * 2 * half / height, (height / 2 - py) * 2 * half / height
        direction = np.array([across, upward, 1.0]) @ self.frame
        return np.array(self.position), direction / np.linalg.norm(direction)

    def on_disc(self, px: float, py: float, width: int, height: int) -> tuple[float, float] | None:
        """The point of the plane z = 0 seen at pixel (px, py); None at and above the horizon."""
        origin, direction = self.ray(px, py, width, height)
        if direction[2] >= -1e-9:
            return None
        x, y, _ = (origin - origin[2] / direction[2] * direction).tolist()
        return x, y

    def on_plane(self, pixels: npt.NDArray[np.float64], width: int, height: int) -> npt.NDArray[np.float64]:
        """float64[k, 2]: as `on_disc` for pixels, float64[k, 2]; NaN at and above the horizon."""
        half = tan(radians(self.fov) / 2)
        scaled = (pixels - (width / 2, height / 2)) * (2 * half / height, -2 * half / height)
        direction = np.column_stack((scaled, np.ones(len(scaled)))) @ self.frame
        down = np.where(direction[:, 2] < -1e-9, direction[:, 2], np.nan)
        origin = np.array(self.position)
        result: npt.NDArray[np.float64] = origin[:2] - (origin[2] / down)[:, None] * direction[:, :2]
        return result


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Zero of a falling function, within 1e-5 (Illinois algorithm).

    The nearer end of low .. high if it has none there.
    """
    at_low, at_high = falling(low), falling(high)
    if at_low <= 0 or at_high >= 0:
        return low if at_low <= 0 else high
    side = 0
    for _ in range(40):
        between = (low * at_high - high * at_low) / (at_high - at_low)
        value = falling(between)
        if abs(value) < 1e-9 or high - low < 1e-5:
            return between
        if value > 0:
            at_high = at_high / 2 if side > 0 else at_high
            low, at_low, side = between, value, 1
        else:
            at_low = at_low / 2 if side < 0 else at_low
            high, at_high, side = between, value, -1
    return (low + high) / 2


def _circle(points: int) -> Points:
    """float64[points, 3]: the edge of the disc."""
    angle = np.linspace(0.0, 2 * np.pi, points, endpoint=False)
    return np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)


@lru_cache(maxsize=64)  # 6 MB at most; a change by a key or a step of a plan is often taken back
def _known_fit(camera: Camera, width: int, height: int, clear: tuple[Box, ...], blocks: bytes) -> Camera:
    """The cached result of `Camera.fitted`; `blocks` are the bytes of the float64[k, 3] tops."""
    return camera._fitted(width, height, clear, np.frombuffer(blocks).reshape(-1, 3))
