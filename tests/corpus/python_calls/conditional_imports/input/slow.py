def encode():
    pass
