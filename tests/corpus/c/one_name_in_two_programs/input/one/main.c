#include "util.h"
int main(void) { usage(); return 0; }
