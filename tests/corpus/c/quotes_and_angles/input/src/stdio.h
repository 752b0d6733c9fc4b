int own_printf(void);
