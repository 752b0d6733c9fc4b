import json
from . import json as own
from .json import loads
import web.json
import logging
