from paint import *
from paint.oil import *
from paint.oil.thick import *
