package p;

class Parent {
    public String name() {
        return "";
    }
}
