package p;

interface Named {
}
