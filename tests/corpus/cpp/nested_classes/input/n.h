class Outer {
  friend class Friend;
  friend void peek(Outer& outer) { outer.inner_.poke(); }
  class Inner;
  struct Plain { int a; void touch() {} enum class Mode { A, B } mode; };
 public:
  Plain plain;
 private:
  class Inner { public: void poke() { deeper.dig(); } struct { int x; } unnamed; struct Deep { void dig() {} } deeper; };
  Inner inner_;
};
class Friend { void look(Outer* o) { o->plain.touch(); } };
