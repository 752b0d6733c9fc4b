#include "conf.h"
#include <string.h>
