package p;

abstract class Rows implements Iterable<Object> {
    public abstract Steps iterator();
}
