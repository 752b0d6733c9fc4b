package a;

public class Other {
}
