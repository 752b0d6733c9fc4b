from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    import m.a
else:
    import m.b
if not TYPE_CHECKING:
    import m.c
elif TYPE_CHECKING:
    import m.d
else:
    import m.e
