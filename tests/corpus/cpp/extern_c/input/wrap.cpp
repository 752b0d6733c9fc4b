extern "C" {
#include "core.h"
}
extern "C" int wrapped(int n) { return core_run(n); }
