#include "db.h"
DB::DB() : count_(0) {}
DB::~DB() {}
int DB::get(int key) const { return size() + this->put(key); }
DB* DB::open() { return nullptr; }
