#ifndef STORE_H
#define STORE_H
int store_open(const char *path);
extern void store_close(int handle);
char *store_name(int handle), **store_names(void);
#endif
