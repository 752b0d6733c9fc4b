namespace geo {
int area(int n);
namespace detail { int round(int n) { return n; } }
inline namespace v2 { struct Box { int side; }; }
}
namespace geo::io {
void print(const Box& box);
}
namespace gio = geo::io;
