import pandas
import numpy

from .table import Table
