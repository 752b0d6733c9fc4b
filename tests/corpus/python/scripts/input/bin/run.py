import options
from tools import clean
import report
