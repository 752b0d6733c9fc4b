import numpy

from kit import frame
