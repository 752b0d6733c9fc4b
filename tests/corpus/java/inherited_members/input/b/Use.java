package b;

import a.Generated;
import a.Leaf;

class Use extends Leaf {
    void use(Leaf given) {
        base();
        this.base();
        super.base();
        leaf.base();
        Object key = Leaf.KEY;
        Leaf.self().join();
        given.leaf.leaf = null;
    }
}
