import json
import json.decoder
from json import loads
