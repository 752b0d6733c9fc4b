#include <vector>
template <typename T, int N = 3>
class Stack {
 public:
  void push(const T& item);
  template <typename U> U as() const { return U(); }
 private:
  std::vector<T> items_;
};
template <typename T, int N>
void Stack<T, N>::push(const T& item) { items_.push_back(item); }
template <>
class Stack<bool, 1> {
 public:
  void push(bool b) {}
};
struct Item {};
template <typename T> T biggest(T a, T b) { return a < b ? b : a; }
template <> inline Item biggest<Item>(Item a, Item b) { return a; }
