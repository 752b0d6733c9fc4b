# if TYPE_CHECKING:
text = """
if TYPE_CHECKING:
    import m.a
"""
import m.b
