import sys

if sys.version_info >= (3, 12):
    from app import new as impl
elif sys.platform == "win32":
    from app import windows as impl
else:
    from app import old as impl

try:
    from app._speedups import fast
except ImportError:
    from app._pure import fast

try:
    import app.optional
except (AttributeError, ModuleNotFoundError):
    optional = None
else:
    import app.extra
finally:
    import app.always

with open(__file__):
    import app.inside
for _ in ():
    import app.looped
