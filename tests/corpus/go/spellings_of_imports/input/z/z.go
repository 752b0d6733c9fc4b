package z
