from .model import Item
from .. import util
