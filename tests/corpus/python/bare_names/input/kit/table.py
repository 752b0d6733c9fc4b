import frame
from numpy import array
