from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m.a import A
    if True:
        import m.b
else:
    import m.c
import m.d
