import app.six.moves
from .gone import nothing
