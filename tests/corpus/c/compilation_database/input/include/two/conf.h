#include "nested.h"
