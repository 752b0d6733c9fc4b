package a;

public class Outer {
    public static class One {
        public static class Deep {
        }
    }

    public interface Two {
    }
}
