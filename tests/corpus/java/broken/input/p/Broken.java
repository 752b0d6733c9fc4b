package p;

import q.Good;

class Broken {
    Good good;

    void half() {
        int = ;
    }
}
