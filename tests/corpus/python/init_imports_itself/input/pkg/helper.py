import pkg.helper
from . import helper
from pkg import version
