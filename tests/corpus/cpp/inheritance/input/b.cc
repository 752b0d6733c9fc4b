#include "a.h"
void use(Both& both) { both.left(); both.mix(); }
