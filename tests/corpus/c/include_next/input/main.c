#include "wrap/limits.h"
#include "wrap/net.h"
