"""uftrace's raw folder: records of function boundaries of C and C++ programs, with arguments and scheduling."""
