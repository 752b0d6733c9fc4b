interface Tool {}
