package java.lang;

public final class Class<T> {
    public native String getName();
}
