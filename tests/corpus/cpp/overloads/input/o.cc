#include "o.h"
void log(int n) {}
void log(const char* text) { log(1); }
