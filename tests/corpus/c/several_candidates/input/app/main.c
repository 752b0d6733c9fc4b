#include "config.h"
#include "net/socket.h"
