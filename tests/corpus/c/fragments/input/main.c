#include "opcodes.inc"
#include "page.inc"
