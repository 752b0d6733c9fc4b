package p;

class Use {
    void use(Node node, Object o, StringBuilder out) {
        node.left().left().mark();
        node.next.left().next.mark();
        node.all[0].mark();
        node.both()[1].next.mark();
        ((Node) o).mark();
        (node).left()
            // a comment (in between)
            .mark();
        new Node().left().mark();
        node.left().up().up();
        node.text().isEmpty();
        "text".isEmpty();
        out.mark();
    }
}
