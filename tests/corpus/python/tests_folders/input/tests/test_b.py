import helpers
import local
import yaml
import fakes.clock
