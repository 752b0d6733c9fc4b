#include "shapes.h"
namespace {
int twice(int n) { return n * 2; }
}
namespace geo {
int area(int n) { return detail::round(twice(n)); }
void io::print(const Box& box) { area(box.side); }
}
