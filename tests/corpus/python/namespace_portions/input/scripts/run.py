import helper
from scripts import helper
import tool
