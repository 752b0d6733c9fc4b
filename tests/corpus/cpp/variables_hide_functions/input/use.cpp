#include "names.h"
#include <map>
int parameter(int (*check)()) { return check(); }
int local() { auto check = [] { return 2; }; return check(); }
int value(std::map<int, int> Header) { return Header.get(1); }
int value2(std::map<int, int> check) { save(check); return 1; }
int loop(std::map<int, int> all) { for (auto& check : all) save(check); return 0; }
int right() { save(check); return check() + Header::get(1); }
int lambda() { return run([](auto check) { return check(); }); }
int caught() { try { f(); } catch (int check) { save(check); } return 0; }
int bound(std::map<int, int> all) { for (auto& [check, y] : all) save(check); return 0; }
int declared() { int check = 5, b = 6; save(check); return 0; }
int second() { int b = 6, check = 5; save(check); return 0; }
int functor(std::function<int()> check) { return check(); }
template <class F> int deduced(F&& check) { return check(); }
int reference(Foreign& check) { check(); check(5); return 0; }
int member() { Foreign check; check(); return 0; }
int made() { auto check = make(); return check(); }
int bound2(std::pair<F, G> p) { auto [check, y] = p; return check(); }
int loop2(V all) { for (const auto& check : all) check(); return 0; }
int brace() { Foreign check{5}; return check(); }
int paren() { Foreign check(5); return check(); }
