#define API_EXPORT __attribute__((visibility("default")))
class API_EXPORT Session final {
 public:
  void start();
};
struct API_EXPORT(1) Options : Session { int n; };
class Forward;
