#include "db.h"
int use(DB* db, const DB& other) {
  DB::open();
  return db->get(1) + other.size() + db->put(2);
}
