package org.core;

public class Basic implements Service {
}
