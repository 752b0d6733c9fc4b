#define A 2
