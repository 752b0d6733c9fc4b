#include <signal.h>
#include <unistd.h>
static int spin(void) { for (;;) pause(); }
int main(void) { alarm(1); return spin(); }
