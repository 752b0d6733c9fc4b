"""Lets OpenGL compile its programs before the first picture needs them; compiling one takes a frame's time or more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from vtkmodules.vtkCommonCore import VTK_UNSIGNED_CHAR
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow, vtkTexture

from cbvtool.drawing.surface import Surface

_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
_TRIANGLE = np.array([[0, 1, 2]], np.int32)
_LINE = np.array([[0, 1]], np.int32)


def compiled(
    window: vtkRenderWindow, renderer: vtkRenderer, triangles: Sequence[Surface], lines: Sequence[Surface] = ()
) -> Iterator[None]:
    """Draw one triangle or line with each surface, one in each step; these are thrown away afterwards.

    window, renderer   the window that will draw such surfaces, and its renderer, which is paused meanwhile
    """
    color = np.tile(np.array([128, 128, 128, 255], np.uint8), (3, 1))
    for surface in triangles:
        surface.set(_CORNERS, _TRIANGLE, color)
        surface.set_texture_coordinates(_CORNERS[:, :2])
    for surface in lines:
        surface.set_lines(_CORNERS[:2], _LINE, color[:2])
    for surface in (*triangles, *lines):
        other = vtkRenderer()
        other.SetUseOIT(False)
        other.AddActor(surface.actor)
        renderer.DrawOff()
        window.AddRenderer(other)
        window.Render()
        window.RemoveRenderer(other)
        renderer.DrawOn()
        yield


def any_texture(side: int) -> vtkTexture:
    """A small texture with the settings of those for relations.

    side   pixels; software compiles one program for powers of two, and one for other sizes
    """
    image = vtkImageData()
    image.SetDimensions(side, side, 1)
    image.AllocateScalars(VTK_UNSIGNED_CHAR, 3)
    texture = vtkTexture()
    texture.SetColorModeToDirectScalars()
    texture.InterpolateOn()
    texture.MipmapOn()
    texture.SetMaximumAnisotropicFiltering(1)
    texture.SetInputData(image)
    return texture
