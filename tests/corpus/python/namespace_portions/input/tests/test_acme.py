from acme.acme import Config
import json
