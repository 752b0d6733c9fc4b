import pkg
from pkg import version
from . import version
from . import helper
import pkg.helper
version = 1
