from . import options
from .kit import tool
from app.kit.tool import run
from app.away import x
import app.options
