package c

class Unused
