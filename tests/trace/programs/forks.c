#include <unistd.h>
#include <sys/wait.h>
static int child(void) { return 3; }
static int parent(void) { return 0; }
int main(int n, char **a) {
  if (n > 1) return child();
  pid_t p = fork();
  if (!p) { child(); execl(a[0], a[0], "again", (char *)0); _exit(1); }
  int s; waitpid(p, &s, 0);
  return parent();
}
