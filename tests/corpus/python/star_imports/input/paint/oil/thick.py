from ..colors import *
from . import *
from .. import (*)
