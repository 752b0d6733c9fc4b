#include_next "net.h"
