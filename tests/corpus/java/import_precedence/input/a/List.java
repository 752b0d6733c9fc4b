package a;

public class List {
}
