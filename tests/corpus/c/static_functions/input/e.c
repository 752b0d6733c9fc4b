static int hidden(void) { return 3; }
int e(void) { return hidden(); }
