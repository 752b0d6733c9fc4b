#include "api.h"
void Session::start() { Options options; }
