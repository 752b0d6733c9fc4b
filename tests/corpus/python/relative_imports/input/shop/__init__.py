from . import core
from .core import model
