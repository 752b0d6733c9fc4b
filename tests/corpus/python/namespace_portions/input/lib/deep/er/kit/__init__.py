from deep.er.kit import part
import types
