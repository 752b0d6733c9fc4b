package p;

class Use {
    int use(Color color) {
        switch (color) {
            case RED:
                return Color.GREEN.shade();
            default:
                return Color.values()[0].base();
        }
    }

    void label() {
        Color.valueOf("RED").label();
    }
}
