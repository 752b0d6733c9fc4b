#include "shapes.h"
int area(int n) { return n; }
int twice(int n) { return n + n; }
int main() {
    geo::v2::Box hidden;
    geo::Box box;
    gio::print(box);
    ::area(twice(1));
    return geo::area(2) + geo::detail::round(3);
}
