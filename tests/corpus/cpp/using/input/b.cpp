#include "lib.h"
using lib::Thing;
using lib::count;
using In = lib::deep::Inner;
int b(Thing t, In i) { t.go(); i.in(); return count(); }
