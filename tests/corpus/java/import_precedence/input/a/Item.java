package a;

public class Item {
}
