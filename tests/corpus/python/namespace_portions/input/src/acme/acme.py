from acme.config import Config
import json
from acme.elsewhere.thing import Thing
import acme.json.schema
