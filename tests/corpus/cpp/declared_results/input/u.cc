#include "r.h"
void walk() {
  app::root()->visit();
  auto node = app::root();
  node->parent()->child(1).visit();
  app::Node list[3];
  list[0].visit();
  (*node).visit();
}
