from acme.config import Config
