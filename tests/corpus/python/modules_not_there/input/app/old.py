from app.six.moves import range
from .extern.tool.deep import name
from .six import moves
