#include "list.h"
#include <stdio.h>
#include "stdio.h"
#include <string.h>
#include "missing.h"
