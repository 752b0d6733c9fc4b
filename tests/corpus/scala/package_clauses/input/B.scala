package a

class Outer
