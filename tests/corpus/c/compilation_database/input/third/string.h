int own;
