#include "t.h"
class T {};
int u() {
  Stack<Item> stack;
  stack.push(Item());
  stack.as<int>();
  return biggest<int>(1, 2);
}
