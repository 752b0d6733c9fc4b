from . import part

def run():
    part.go()
