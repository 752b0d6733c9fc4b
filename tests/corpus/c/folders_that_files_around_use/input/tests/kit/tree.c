#include "tree.h"
#include "list.h"
