class Helper {
    void help() {
        new Tool2();
    }
}

class Tool2 {
}
