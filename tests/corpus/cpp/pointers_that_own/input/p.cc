#include "p.h"
void work(Car* car) {
  auto made = std::make_unique<Engine>();
  made->spin();
  auto* raw = new Engine();
  raw->spin();
  Engine *first = nullptr, *second = raw;
  second->spin();
  car->engine_->spin();
  car->spare_->next()->spin();
  if (auto* cast = dynamic_cast<Car*>(car)) cast->drive();
  for (Engine& one : engines()) one.spin();
  unknown()->spin();
}
