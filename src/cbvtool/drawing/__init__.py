"""From a scene to pixels: the only room with VTK. It knows no Qt, so that pictures are drawn without a window too."""
