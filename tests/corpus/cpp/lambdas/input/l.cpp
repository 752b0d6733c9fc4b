#include <algorithm>
int helper(int n) { return n; }
int run(int* first, int* last) {
  auto twice = [](int n) { return n ? helper(n) : 0; };
  std::for_each(first, last, [&](int& n) {
    if (n > 1) n = twice(n);
  });
  return twice(3);
}
int twice(int n) { return 2 * n; }
