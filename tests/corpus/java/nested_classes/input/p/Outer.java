package p;

class Outer extends Base {
    int size;

    void run() {
    }

    class Inner {
        void go() {
            run();
            Outer.this.run();
            new Part().work();
        }

        void size() {
        }

        class Deep extends Nested {
            void go() {
                size();
                touch();
            }
        }
    }

    static class Nested {
        void touch() {
        }
    }
}
