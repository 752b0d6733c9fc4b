int undeclared_but_unique(int x) { return x; }
