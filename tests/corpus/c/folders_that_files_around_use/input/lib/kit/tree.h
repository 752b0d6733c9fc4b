int tree(void);
