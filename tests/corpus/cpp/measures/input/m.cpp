#include <vector>
namespace m {
// about sum
template <typename T>
int sum(const std::vector<T>& v, T&& extra) {
  int total = 0;
  for (auto& x : v) {
    try {
      if (x > 0 and x < 9) {
        total += x;
      }
    } catch (const int& e) {
      throw;
    } catch (...) {
    }
  }
  return total ? total : 1;
}
class Empty {};
}
