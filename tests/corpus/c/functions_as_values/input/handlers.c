#include "handlers.h"
int get_command(int n) { return n; }
int set_command(int n) { return -n; }
int callback(int n) { return n; }
int run(int n) { return n; }
