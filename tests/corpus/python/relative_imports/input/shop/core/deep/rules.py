from ...util import money
from . import rules
from .. import model, missing
from .missing import nothing
from .....beyond import all_roots
