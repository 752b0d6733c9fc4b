static int helper(void) { return 1; }
int a(void) { return helper(); }
