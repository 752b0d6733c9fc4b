#include "handlers.h"
struct command { const char *name; int (*run)(int); };
static struct command table[] = {
    {"get", get_command},
    {.name = "set", .run = &set_command},
};
static int apply(int (*callback)(int), int value) { return callback(value); }
int start(int n) {
    int (*chosen)(int) = n ? get_command : set_command;
    struct command *row = table;
    apply(get_command, n);
    return row->run(n) + chosen(n);
}
