#include <vector>
#include <memory>
#include <string>
namespace shop {
template <class T> struct Cart { std::vector<T> items; void add(T t) { items.push_back(t); } T total() const { T s{}; for (auto &i : items) s += i; return s; } };
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
struct Square : Shape { double a; explicit Square(double s) : a(s) {} double area() const override { return a * a; } };
static double sum(const std::vector<std::unique_ptr<Shape>> &v) { double s = 0; for (auto &p : v) s += p->area(); return s; }
}
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main() {
  std::vector<std::unique_ptr<shop::Shape>> v;
  for (int i = 0; i < 3; i++) v.emplace_back(new shop::Square(i));
  auto f = [](int n) { return fib(n); };
  shop::Cart<int> c; c.add(f(5));
  return (int)(shop::sum(v) + c.total()) == 10 ? 0 : 1;
}
