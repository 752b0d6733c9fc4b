void usage(void);
