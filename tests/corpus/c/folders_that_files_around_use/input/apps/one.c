#include "list.h"
#include "only.h"
#include "tree.h"
