package org.app;

public class Tool {
    public static Tool MAIN;
    public Tool org;

    public static void run() {
    }

    public Tool app() {
        return this;
    }

    public @interface Mark {
    }
}
