int hidden(void);
int d(void) { return hidden(); }
