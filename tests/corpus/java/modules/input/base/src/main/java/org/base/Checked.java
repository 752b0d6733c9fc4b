package org.base;

public @interface Checked {
    String by();
}
