enum colour {
#define X(name) name,
#include "colours.def"
#undef X
};
const char *names[] = {
#define X(name) #name,
#include "colours.def"
#undef X
};
