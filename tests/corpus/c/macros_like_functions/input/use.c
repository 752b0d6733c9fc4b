#include "macros.h"
#define LOCAL(x) ((x) + 1)
int square(int x);
int use(int a) {
    return MAX(a, LOCAL(a)) + square(a) + released(a);
}
