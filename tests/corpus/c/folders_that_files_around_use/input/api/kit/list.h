int kit_list(void);
