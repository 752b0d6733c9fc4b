#include "lib.h"
using namespace lib;
int a(Thing t) { t.go(); return count(); }
