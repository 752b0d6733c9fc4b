from .core import Engine, run as start
from . import tools
