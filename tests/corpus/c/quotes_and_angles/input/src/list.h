struct list;
