#include_next <limits.h>
#define WRAPPED 1
