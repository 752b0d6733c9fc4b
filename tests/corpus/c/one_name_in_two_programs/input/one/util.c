#include "util.h"
void usage(void) {}
