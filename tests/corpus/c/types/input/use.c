#include "types.h"
static Line line;
enum state flip(PointPtr p, struct node *n) {
    Side side = LEFT;
    return sizeof(union value) > 4 ? ON : OFF;
}
