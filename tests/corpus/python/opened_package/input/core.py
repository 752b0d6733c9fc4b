import input
import input.util.text
from input.util import text
from .util import text
import util
import core
