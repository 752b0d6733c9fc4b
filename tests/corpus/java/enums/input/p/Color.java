package p;

enum Color implements Named {
    RED(1) {
        @Override
        int shade() {
            return base();
        }
    },
    GREEN(2);

    Color(int code) {
    }

    int shade() {
        return 0;
    }

    int base() {
        return RED.shade();
    }
}
