#include "conf.h"
#include <shared.h>
