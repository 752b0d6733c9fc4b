class Outer {
    void check() {
    }

    Runnable make() {
        check();
        return new Runnable() {
            void check() {
            }

            public void run() {
                check();
            }
        };
    }
}
