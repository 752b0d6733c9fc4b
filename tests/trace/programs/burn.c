#include <pthread.h>
static volatile long sink;
__attribute__((noinline)) static void inner(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) static void first(void) { inner(3000000); }
__attribute__((noinline)) static void second(void) { inner(1000000); for (long i = 0; i < 2000000; i++) sink ^= i; }
__attribute__((noinline)) static void *thread(void *p) { for (int i = 0; i < 60; i++) { first(); second(); } return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, thread, 0); for (int i = 0; i < 40; i++) first(); pthread_join(t, 0); return 0; }
