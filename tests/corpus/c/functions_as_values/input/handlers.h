int get_command(int);
int set_command(int);
