package a;

public class Root extends Thread {
    public static final Object KEY = null;
    public Leaf leaf;

    public static Root self() {
        return null;
    }

    protected void base() {
    }
}
