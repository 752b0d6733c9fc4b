static int helper(void) { return 2; }
int b(void) { return helper(); }
