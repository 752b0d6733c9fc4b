from .both import x
