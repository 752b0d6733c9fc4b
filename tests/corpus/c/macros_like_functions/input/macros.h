#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define released(x) (x)
