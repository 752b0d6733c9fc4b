int MAX(int a, int b) { return a + b; }
int LOCAL(int a) { return a; }
int square(int x) { return x * x; }
int released(int x) { return x; }
