package b;

import static a.Tools.LIMIT;
import static a.Tools.check;
import static a.Tools.Kit;

class User {
    // LIMIT is not used here, nor in "LIMIT"
    Kit kit;

    void use() {
        check(1);
        int o = LIMIT;
        String s = "LIMIT";
    }

    void shadow(Object LIMIT) {
        Object o = LIMIT;
    }
}
