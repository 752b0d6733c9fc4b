#include "api.h"
BEGIN_DECLS
int first(void) { return 1; }
#define LOOP(i, n) for (int i = 0; i < n; i++)
int second(int n) {
    LOOP(i, n) {
        first();
    }
    return first() ==== n;
}
int third(void) { return second(3); }
END_DECLS
