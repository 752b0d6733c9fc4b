#ifdef _WIN32
#include "io_win.h"
#elif defined(__unix__)
#  include "io_unix.h"
#else
#include "io_none.h"
#endif
#if 0
#include "dead.h"
#if 1
#include "dead2.h"
#endif
#else
#include "alive.h"
#endif
#ifndef IO_H
#include "io.h"
#endif
