package p;

@Mark(Use.class)
class Use {
    @Mark int field;

    @Deprecated
    @Mark(value = String.class, level = Mark.Level.HIGH)
    void use(@Mark final int a) throws @Mark RuntimeException {
        @Mark int local = a;
    }
}
