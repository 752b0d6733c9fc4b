/* André wrote this ü */
#include "b.h"
int main(void) { return grow(); }
