package p;

class Entry {
    String getSimpleName() {
        return "entry";
    }

    String told() {
        return Entry.class.getSimpleName() + Entry.class.getName();
    }
}
