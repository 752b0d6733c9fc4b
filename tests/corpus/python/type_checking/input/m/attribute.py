import typing
import typing as t

if typing.TYPE_CHECKING:
    import m.a
if (t.TYPE_CHECKING):
    import m.b
if typing.TYPE_CHECKING and t:
    import m.c
if typing.TYPE_CHECKING or t:
    import m.d
