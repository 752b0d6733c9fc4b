package a;

public class Base {
    public static final Object SHARED = new Object();
}
