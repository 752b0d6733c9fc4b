package org.app;

class ThingTest {
    void test() {
        new Thing().act();
    }
}
