from .saw import saw
hammer = 1
