"""What Python runs at its start in a program that is recorded."""

SITECUSTOMIZE = '''\
"""Start the recorder of cbvtool, and the sitecustomize that was there before."""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
import cbvtool_recorder

sys.path[:] = [place for place in sys.path if os.path.abspath(place or os.curdir) != _here]
_own = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize
except ImportError as error:
    if error.name != "sitecustomize":
        raise
    if _own is not None:
        sys.modules["sitecustomize"] = _own
finally:
    cbvtool_recorder.begin(os.path.dirname(_here))
'''
