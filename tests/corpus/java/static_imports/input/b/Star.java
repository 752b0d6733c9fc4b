package b;

import static a.Tools.*;

class Star {
    void help() {
    }

    void use() {
        check(1);
        help();
        Object o = SHARED;
    }
}
