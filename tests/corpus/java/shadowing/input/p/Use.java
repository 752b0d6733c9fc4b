package p;

class Use {
    A x;
    A B;

    A y() {
        return x;
    }

    void fields() {
        x.hit();
        B.hit();
        y().hit();
    }

    void parameter(B x) {
        x.hit();
        this.x.hit();
    }

    void local() {
        x.hit();
        B x = new B();
        x.hit();
    }

    void blocks() {
        for (A y : new A[0]) {
            y.hit();
        }
        for (B y : new B[0]) {
            y.hit();
        }
    }
}
