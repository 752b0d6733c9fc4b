namespace lib {
struct Thing { void go() {} };
inline int count() { return 1; }
namespace deep { struct Inner { void in() {} }; }
}
namespace other { inline int count() { return 2; } }
