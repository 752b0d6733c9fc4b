#include "store.h"
int main(void) {
    int handle = store_open("x");
    store_name(handle);
    store_close(handle);
    return undeclared_but_unique(handle);
}
