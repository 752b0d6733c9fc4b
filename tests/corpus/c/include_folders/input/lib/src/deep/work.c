#include "api.h"
#include <proj/types.h>
#include "detail/inner.h"
#include "../shared.h"
