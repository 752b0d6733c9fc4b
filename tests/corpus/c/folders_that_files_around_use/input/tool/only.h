int only(void);
