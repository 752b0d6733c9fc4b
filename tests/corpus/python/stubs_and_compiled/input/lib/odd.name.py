import lib.odd
from . import both
