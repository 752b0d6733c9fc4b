package java.lang;

public abstract class Enum<E> {
}
