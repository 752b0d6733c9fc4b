import b.y
from b import y
