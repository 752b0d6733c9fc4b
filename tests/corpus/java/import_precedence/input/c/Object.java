package c;

public class Object {
}
