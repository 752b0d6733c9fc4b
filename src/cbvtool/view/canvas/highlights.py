"""What is highlighted on the canvas: under the pointer, found by a search, selected, or the target of a drag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cbvtool.drawing import drag_picture, emphasis, judgement_picture
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.picking.occlusion import hiding
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.view_state import ViewState


class Highlights:
    """The current highlight, and its inputs apart from the view state.

    relation  lifted relation under the pointer, -1 = none
    matches   keys of the matches of a search
    aim       key of the target of a drop, -1 = none
    gains     key -> gain of a drop there, for possible targets; empty = they are not tinted
    """

    def __init__(self) -> None:
        self.now = emphasis.Emphasis()
        self.forget()

    def forget(self) -> None:
        """Reset for another subject."""
        self.relation, self.aim = -1, -1
        self.matches: frozenset[int] = frozenset()
        self.gains: Mapping[int, float] = {}
        self._tinted: tuple[Scene, Mapping[int, float], str, Scene] | None = None  # of these three, the last one

    def take_scene(self, before: Scene, scene: Scene) -> None:
        """Take over a new scene: forget values that were valid only in the previous one."""
        if scene.lifted is not before.lifted:
            self.relation = -1  # it was a row of the previous scene
        if (graph := scene.graph) is not before.graph:
            self.matches = frozenset(before.keys_in(self.matches, graph))
            self.aim = next(iter(before.keys_in((self.aim,), graph)), -1)
            if self.gains:
                self.gains = {key: self.gains[key] for key in before.keys_in(self.gains, graph)}
        if scene.state.hierarchy != before.state.hierarchy:
            self.matches = frozenset()  # the search is repeated

    def renew(self, shown: Scene, view: ViewState, scene: Scene) -> bool:
        """Compute the highlight in `shown`. Returns whether names now fade with their segments, or no longer do.

        view    with keys of the graph of `shown`
        scene   the final scene of a transition; rows of relations are valid only there
        """
        before = self.now
        if view.drag is not None:
            self.now = emphasis.relations_faded(shown)
        else:
            relation = self.relation if shown is scene else -1
            matches = frozenset(scene.keys_in(self.matches, shown.graph))
            self.now = emphasis.emphasis(shown, view.hovered, relation, matches, view.selected)
        return self.now.items is not None or before.items is not None

    def look_through(self, scene: Scene, camera: Camera, hovered: int) -> bool:
        """Find the blocks that hide the node under the pointer, or its neighbours. False if nothing changed."""
        if hovered < 0 or self.now.items is None or self.now.glass is not None:
            return False
        self.now = replace(self.now, glass=hiding(scene, camera, self.now.items))
        return True

    def tinted(self, scene: Scene, theme: str) -> Scene:
        """The scene with possible targets of a drop tinted, the same one until something changes."""
        if not self.gains:
            self._tinted = None
            return scene
        known = self._tinted
        if known is None or known[0] is not scene or known[1] is not self.gains or known[2] != theme:
            made = judgement_picture.tinted(scene, self.gains, THEMES[theme])
            self._tinted = known = (scene, self.gains, theme, made)
        return known[3]

    def aimed_at(self, scene: Scene, theme: str) -> Scene:
        """The scene with possible targets of a drop tinted, and the current target filled."""
        scene = self.tinted(scene, theme)
        item = emphasis.item_of(scene, self.aim) if self.aim >= 0 else -1
        return drag_picture.aimed_at(scene, item, THEMES[theme].accent) if item > 0 else scene


def enlarged(scene: Scene, standing_out: emphasis.Emphasis) -> npt.NDArray[np.bool_] | None:
    """bool[v]: items with larger names: neighbours of the highlighted nodes; None = none."""
    partners = standing_out.partners
    return partners if partners is not None and len(partners) == len(scene.tree) else None
