from typing import TYPE_CHECKING as STATIC

if STATIC:
    import m.a
if t_TYPE_CHECKING:
    import m.b
