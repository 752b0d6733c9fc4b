#define PLATFORM_HEADER <os/posix.h>
