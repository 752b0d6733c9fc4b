class Use {
    org.app.Tool tool = new org.app.Tool();

    @org.app.Tool.Mark
    void use(java.util.List<java.io.File> files) {
        org.app.Tool.run();
        Object o = org.app.Tool.MAIN;
        Class<?> c = org.app.Tool.class;
    }

    void shadowed(org.app.Tool org) {
        org.app();
        org.org.app();
    }
}
