package p;

import java.util.function.IntSupplier;

class Runner {
    Runner(Action action) {
    }

    Runner(int number, String text, Change change) {
    }

    void run(int times, Count count) {
    }

    static void each(String text, Change... changes) {
    }

    void take(Runner other) {
    }

    void take(int[] numbers) {
    }

    void take(int number) {
    }

    void take(Count count) {
    }

    void both(Change change) {
    }

    void both(Turn turn) {
    }

    void standard(IntSupplier supplier) {
    }
}
