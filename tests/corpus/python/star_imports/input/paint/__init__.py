from .colors import *
from .brushes import*
