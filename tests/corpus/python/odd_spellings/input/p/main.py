import p.a, p . b as bee ,\
    p.c as sea
from p import (  # a comment, with import and (parentheses
    a,  # import b
    b as as_b,
)
from.import c; from .import_d import x
from . import_d import(y)
from .importlib import import_module
from	p	import	as_e as	as_as
from p.\
  a import z; import p.import_d as import_d
if 1: import p.a
from __future__ import annotations
import p.ﬁle
from p import as_e, \
   importlib
