#include <pthread.h>
#include <unistd.h>
#include <fcntl.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
static void *consumer(void *p) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    ready--;
    pthread_mutex_unlock(&m);
    work(100);
  }
  return p;
}
int main(void) {
  pthread_t t; char b[8];
  pthread_create(&t, 0, consumer, 0);
  int f = open("/dev/zero", O_RDONLY);
  for (int i = 0; i < 3; i++) {
    usleep(2000);
    pthread_mutex_lock(&m); ready++; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
    if (read(f, b, 8) != 8) return 1;
  }
  pthread_join(t, 0);
  return 0;
}
