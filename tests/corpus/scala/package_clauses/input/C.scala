package a.b

class More extends Inner
