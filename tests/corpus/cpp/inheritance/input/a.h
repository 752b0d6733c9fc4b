struct Base { void ping() {} int level; };
struct Left : virtual public Base { void left() {} };
struct Right : virtual Base { void right() {} void ping() {} };
template <class T> class Mixin { public: void mix() {} };
class Both final : public Left, protected Right, Mixin<int> {
 public:
  void all() { ping(); left(); right(); mix(); Base::ping(); }
};
