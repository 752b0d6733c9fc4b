from . import both, stub, fast, binary
from ._missing import x
from . import _core
