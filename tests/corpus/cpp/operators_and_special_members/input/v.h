struct V {
  V();
  explicit V(int x) : x(x) {}
  V(const V&) = default;
  ~V();
  V& operator=(const V& other) { x = other.x; return *this; }
  bool operator==(const V& other) const;
  int operator()(int a, int b) const { return a + b; }
  int operator[](int i) const;
  explicit operator bool() const { return x; }
  static void* operator new(unsigned long size);
  int x;
};
V operator+(const V& a, const V& b);
