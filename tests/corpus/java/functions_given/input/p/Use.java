package p;

class Use {
    void lambda(Runner runner) {
        runner.run(3, () -> 4);
    }

    void method() {
        Runner.each("a", String::length, String::trim);
    }

    void made() {
        new Runner(() -> {
        });
        Object other = new Runner(1, "a", /* none */ text -> text);
    }

    void chosen(Runner runner) {
        runner.take(() -> 4);
    }

    void unclear(Runner runner) {
        runner.both(text -> text);
    }

    void outside(Runner runner) {
        runner.standard(() -> 4);
    }
}

class Below extends Runner {
    Below() {
        super(() -> {
        });
    }
}
