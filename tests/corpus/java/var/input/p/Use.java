package p;

class Use {
    void use(Object o) {
        var a = new Made();
        a.hit();
        var b = Made.make();
        b.hit();
        var c = (Made) o;
        c.hit();
        var d = b.next.next;
        d.hit();
        for (var e : b.all()) {
            e.hit();
        }
        try (var f = Made.make()) {
            f.hit();
        }
        var g = o.hashCode();
        var var = a;
        var.hit();
    }
}
