#include "h.h"
Box shared;
void fill() {}
struct User {
  Bag shared;
  void use(Bag* box) { shared.fill(); box->fill(); fill(); }
  void own() { fill(1); }
  void fill(int n) {}
};
void use(void (*fill)()) { shared.fill(); fill(); ::fill(); }
