int c(void) { return helper(); }
