import java.io.IOException;

/**
 * Documentation.
 */
class M {
    static {
        int ready = 1;
    }

    int f(int a, int... b) { // one
        if (a > 0 && b != null)
            return 1;
        else if (a < 0 || b == null) {
            for (int i : b) {
                while (a > i) {
                    a--; // three

                    // own line
                    a -= 2;
                }
            }
        } else
            a = a > 0 ? 1 : 2;
        switch (a) {
            case 1:
            case 2:
                a++;
                break;
            default:
                a--;
        }
        return a;
    }

    int g(Object o) {
        try {
            do {
                synchronized (this) {
                    o.wait();
                }
            } while (o != null);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            o = null;
        }
        return switch (o) {
            case Integer i when i > 0 -> 1;
            case String s -> {
                yield 2;
            }
            case null, default -> throw new IllegalStateException();
        };
    }
}
