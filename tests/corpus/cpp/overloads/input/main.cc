#include "o.h"
void use(Printer p) {
  log(1);
  p.out(2);
}
