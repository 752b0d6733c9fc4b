package p;

class Use {
    Task task = new Task() {
        @Override
        void run() {
            if (true) {
                done();
            }
        }
    };

    void use() {
        class Local {
            void hit() {
                done();
            }
        }
        new Local().hit();
        new Task() {
            void run() {
                helper();
                inner();
            }

            void inner() {
                done();
            }
        }.run();
    }

    void other(Local local) {
        local.hit();
    }

    void done() {
    }

    void inner() {
    }
}
