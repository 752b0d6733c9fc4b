#include "v.h"
V::V() {}
V::~V() {}
bool V::operator==(const V& other) const { return x == other.x; }
int V::operator[](int i) const { return i; }
V operator+(const V& a, const V& b) { return V(a.x + b.x); }
