from acme import config
