int posix;
