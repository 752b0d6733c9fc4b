package a;

public class Tools extends Base {
    public static final int LIMIT = 3;

    public static void check(int a) {
    }

    public static void help() {
    }

    public static class Kit {
    }
}
