#include "names.h"
int Header::get(int key) { return key; }
int check() { return 1; }
