#include <nested.h>
