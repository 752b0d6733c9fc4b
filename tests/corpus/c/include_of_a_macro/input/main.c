#define CONFIG "config/local.h"
#include CONFIG
#include PLATFORM_HEADER
#include NOT_DEFINED
