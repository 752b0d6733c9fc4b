static int twice(n)
int n;
{
    return n + n;
}

int
main(argc, argv)
    int argc;
    char **argv;
{
    return twice(argc);
}
