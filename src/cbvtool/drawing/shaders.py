"""Shader programs for opaque surfaces that only show their colour. In software OpenGL, VTK's own cost twice as much.

VTK's programs support transparency: they end with `discard`, so that hidden pixels are shaded before the depth test;
they interpolate colours; and their blending reads the background even for opaque surfaces (docs/decisions/drawing.md).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderWindow

GL_BLEND, GL_LEQUAL, GL_GREATER = 0x0BE2, 0x0203, 0x0204  # as OpenGL's headers number them


class Program(NamedTuple):
    """Source of both shaders, with the placeholders in which VTK puts its version line and the name of the output."""

    vertex: str
    fragment: str


# One colour for each face: all of its points must have it.
FLAT = Program(
    """//VTK::System::Dec
in vec4 vertexMC;
in vec4 scalarColor;
flat out vec4 shade;
uniform mat4 MCDCMatrix;
void main() { shade = scalarColor; gl_Position = MCDCMatrix * vertexMC; }
""",
    """//VTK::System::Dec
//VTK::Output::Dec
flat in vec4 shade;
void main() { gl_FragData[0] = shade; }
""",
)
# A colour at each point, interpolated between points.
SMOOTH = Program(
    """//VTK::System::Dec
in vec4 vertexMC;
in vec4 scalarColor;
out vec4 shade;
uniform mat4 MCDCMatrix;
void main() { shade = scalarColor; gl_Position = MCDCMatrix * vertexMC; }
""",
    """//VTK::System::Dec
//VTK::Output::Dec
in vec4 shade;
void main() { gl_FragData[0] = shade; }
""",
)
# A texture whose opacity is that of the actor, over the ambient colour, which must be the colour of what it covers.
TEXTURED = Program(
    """//VTK::System::Dec
in vec4 vertexMC;
in vec2 tcoord;
out vec2 place;
uniform mat4 MCDCMatrix;
void main() { place = tcoord; gl_Position = MCDCMatrix * vertexMC; }
""",
    """//VTK::System::Dec
//VTK::Output::Dec
in vec2 place;
uniform sampler2D actortexture;
uniform vec3 ambientColorUniform;
uniform float opacityUniform;
void main() { gl_FragData[0] = vec4(mix(ambientColorUniform, texture(actortexture, place).rgb, opacityUniform), 1.0); }
""",
)
# The texture over the blocks in front, only where it differs from the ambient colour, that is, at relations: these
# shine through near walls.
THROUGH = Program(
    TEXTURED.vertex,
    """//VTK::System::Dec
//VTK::Output::Dec
in vec2 place;
uniform sampler2D actortexture;
uniform vec3 ambientColorUniform;
uniform float opacityUniform;
void main() {
  vec3 seen = texture(actortexture, place).rgb;
  float apart = clamp(3.0 * distance(seen, ambientColorUniform), 0.0, 1.0);
  gl_FragData[0] = vec4(seen, 0.55 * apart * opacityUniform);
}
""",
)


def use(program: Program, actor: vtkActor) -> None:
    """Draw `actor` with `program`."""
    shaders = actor.GetShaderProperty()
    shaders.SetVertexShaderCode(program.vertex)
    shaders.SetFragmentShaderCode(program.fragment)


def blend_where_needed(
    window: vtkRenderWindow, actor: vtkActor, mapper: vtkPolyDataMapper, *, blended: bool, hidden: bool
) -> None:
    """While `window` draws `actor`, blend only if it is translucent, or if it is opaque and `blended`.

    hidden   draw only the part of it that something else hides

    Either all surfaces of a window use this or none: the OpenGL state that one of them sets stays set.
    """
    drawing: Any = window  # an OpenGL window, as made by `offscreen_window`, has a state
    state = drawing.GetState()

    def before(*_: object) -> None:
        blends = blended or actor.GetForceTranslucent()
        (state.vtkglEnable if blends else state.vtkglDisable)(GL_BLEND)
        state.vtkglDepthFunc(GL_GREATER if hidden else GL_LEQUAL)
        if blended:
            state.vtkglDepthMask(False)  # VTK sets it again for the next actor

    mapper.AddObserver(vtkCommand.UpdateShaderEvent, before)
