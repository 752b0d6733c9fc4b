import lib.binary
