package org.app;

public class Thing {
    void act() {
    }
}
