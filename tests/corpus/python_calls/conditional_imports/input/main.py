import sys

try:
    from fast import encode
except ImportError:
    from slow import encode

if sys.platform == "win32":
    def root():
        pass
else:
    def root():
        pass


def work():
    encode()
    root()


def late():
    from slow import encode
    encode()
