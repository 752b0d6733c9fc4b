"""Triangles or lines with a colour per point, as one VTK actor whose arrays are updated in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyvista as pv  # its core only: the plotter would cost the first frame half a second
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderWindow

from cbvtool.drawing.shaders import Program, blend_where_needed, use

_COLOR = "color"


class Surface:
    """One VTK actor; `set` gives it triangles, and `actor` is added to a renderer."""

    def __init__(
        self,
        window: vtkRenderWindow,
        *,
        culled: bool = False,
        translucent: bool = False,
        blended: bool = False,
        hidden: bool = False,
        program: Program | None = None,
    ) -> None:
        """Make an actor for a window from `offscreen_window`.

        culled   leave out faces that face away from the camera
        blended  blend it with what was drawn before, without VTK's separate pass for translucent surfaces
        hidden   draw only the part that earlier surfaces hide
        program  shader program; None = VTK's own
        """
        self.mesh = pv.PolyData()
        self.actor = vtkActor()
        self._mapper = vtkPolyDataMapper()
        self._mapper.SetColorModeToDirectScalars()
        self._mapper.SetScalarModeToUsePointData()
        self.actor.SetMapper(self._mapper)
        self.actor.SetVisibility(False)
        style = self.actor.GetProperty()
        style.SetLighting(False)  # data must keep the colour of the legend; walls come with darker colours
        style.SetBackfaceCulling(culled)
        if translucent:
            self.actor.ForceTranslucentOn()
        else:
            self.actor.ForceOpaqueOn()
        if program is not None:
            use(program, self.actor)
        blend_where_needed(window, self.actor, self._mapper, blended=blended, hidden=hidden)

    def set(
        self, points: npt.NDArray[np.float32], triangles: npt.NDArray[np.int32], color: npt.NDArray[np.uint8]
    ) -> bool:
        """Replace the triangles. Returns True if existing buffers could be reused.

        points float32[p, 3], triangles int32[t, 3], color uint8[p, 4].
        """
        self.actor.SetVisibility(len(triangles) > 0)
        if not len(triangles):  # for example a folder without relations; VTK does not keep empty arrays
            return False
        if self._fits(points, triangles):
            self._write(_any(self.mesh.points), points)
            self._write(self.mesh.point_data[_COLOR], color)
            self.mesh.Modified()
            return True
        # Copies: VTK reads the arrays as long as it shows them, while scenes are frozen values that may be deleted.
        # PyVista's annotations allow only one integer type; at run time it takes all.
        mesh = pv.PolyData.from_regular_faces(_any(np.array(points)), _any(np.array(triangles)))
        self._take(mesh, color, triangles)
        return False

    def set_lines(
        self, points: npt.NDArray[np.float32], lines: npt.NDArray[np.int32], color: npt.NDArray[np.uint8]
    ) -> None:
        """Show straight lines of one pixel instead: points float32[p, 3], lines int32[l, 2], color uint8[p, 4]."""
        self.actor.SetVisibility(len(lines) > 0)
        mesh = pv.PolyData()
        mesh.points = _any(np.array(points))
        mesh.lines = np.insert(lines, 0, 2, axis=1).ravel()  # VTK wants the number of points before each line
        self._take(mesh, color, np.empty((0, 3), np.int32))

    def show_of(self, other: Surface) -> None:
        """Show the same as another surface, from the same arrays."""
        self.mesh = other.mesh
        self._mapper.SetInputData(self.mesh)
        self.actor.SetVisibility(other.actor.GetVisibility())

    def set_texture_coordinates(self, places: npt.NDArray[Any]) -> None:
        """Set the position of each point in the texture: [p, 2], 0..1 from the lower left."""
        self.mesh.point_data.active_texture_coordinates = _any(np.asarray(places, np.float32))
        self.mesh.Modified()

    def hide(self) -> None:
        """Show nothing."""
        self.actor.SetVisibility(False)

    _triangles: npt.NDArray[np.int32] = np.empty((0, 3), np.int32)

    def _take(self, mesh: pv.PolyData, color: npt.NDArray[np.uint8], triangles: npt.NDArray[np.int32]) -> None:
        mesh.point_data[_COLOR] = _any(np.array(color))
        mesh.point_data.active_scalars_name = _COLOR
        self.mesh, self._triangles = mesh, triangles
        self._mapper.SetInputData(mesh)

    def _fits(self, points: npt.NDArray[np.float32], triangles: npt.NDArray[np.int32]) -> bool:
        if len(points) != self.mesh.n_points or triangles.shape != self._triangles.shape:
            return False
        return triangles is self._triangles or np.array_equal(triangles, self._triangles)

    @staticmethod
    def _write(array: Any, values: npt.NDArray[Any]) -> None:
        if np.array_equal(array, values):
            return
        array[...] = values
        array.VTKObject.Modified()


def _any(array: Any) -> Any:
    return array
