#include <stdio.h>
static long even(long n); 
static long odd(long n) { return n == 0 ? 0 : even(n - 1); }
static long even(long n) { return n == 0 ? 1 : odd(n - 1); }
static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static long leaf(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i % 7; return s; }
static long work(long n) { long s = 0; for (long i = 0; i < n; i++) s += leaf(i); return s; }
int main(void) { printf("%ld\n", fib(12) + work(200) + even(20)); return 0; }
