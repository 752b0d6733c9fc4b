package p;

interface Count {
    int count();
}
