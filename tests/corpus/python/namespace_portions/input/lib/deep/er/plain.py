from deep.er import types
