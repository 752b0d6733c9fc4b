import a
import a.x
import b
from b import y
