int api(void);
