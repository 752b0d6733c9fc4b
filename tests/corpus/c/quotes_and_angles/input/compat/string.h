int own_strlen(void);
