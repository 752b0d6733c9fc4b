from app.extern.tool import run
import app.extern.other
from app._version import version
from app import _version
import app.a.b.c
