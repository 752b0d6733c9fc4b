from .. import core
from ... import beyond
