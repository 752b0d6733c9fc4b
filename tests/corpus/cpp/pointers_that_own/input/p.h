#include <memory>
struct Engine { void spin() {} Engine* next(); };
class Car {
 public:
  void drive() { engine_->spin(); parts_.get(); }
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const Engine> spare_;
  std::weak_ptr<Car> parts_;
};
