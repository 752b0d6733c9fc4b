#include "lib.h"
struct Derived : lib::Thing { using lib::Thing::go; void c() { go(); } };
int c(Thing* t) { return 0; }
