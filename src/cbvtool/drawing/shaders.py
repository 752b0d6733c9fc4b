"""Programs for opaque surfaces that do nothing but show their colour: VTK's own cost software OpenGL twice as much.

VTK's end with `discard`, for the sake of transparency, so that what is hidden is shaded before it is found to be
hidden; they interpolate; and blending reads what is behind even of what is opaque (docs/decisions/drawing.md).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderWindow

GL_BLEND, GL_LEQUAL, GL_GREATER = 0x0BE2, 0x0203, 0x0204  # as OpenGL's headers number them


class Program(NamedTuple):
    """Source of both shaders; VTK puts its version line and the name of the output in the places it knows."""

    vertex: str
    fragment: str


# One colour for each face: all its points have it.
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
# A colour at each point, blended between them.
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
# The texture, as far as the actor is opaque, over its ambient colour, which is to be that of what it covers.
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
# The texture where it differs from the ambient colour, over what hides it: relations are felt through near walls.
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
    """Draw `actor` with it."""
    shaders = actor.GetShaderProperty()
    shaders.SetVertexShaderCode(program.vertex)
    shaders.SetFragmentShaderCode(program.fragment)


def blend_where_needed(
    window: vtkRenderWindow, actor: vtkActor, mapper: vtkPolyDataMapper, *, blended: bool, hidden: bool
) -> None:
    """While `window` draws `actor`, blend just if it is translucent, or `blended` among what is opaque.

    hidden   draw just what something else hides

    All surfaces of a window need this, or none: what one of them sets stays set.
    """
    drawing: Any = window  # one that draws with OpenGL, as `offscreen_window` makes them, has a state
    state = drawing.GetState()

    def before(*_: object) -> None:
        blends = blended or actor.GetForceTranslucent()
        (state.vtkglEnable if blends else state.vtkglDisable)(GL_BLEND)
        state.vtkglDepthFunc(GL_GREATER if hidden else GL_LEQUAL)
        if blended:
            state.vtkglDepthMask(False)  # VTK sets it again for the next actor

    mapper.AddObserver(vtkCommand.UpdateShaderEvent, before)
