from . import stub
