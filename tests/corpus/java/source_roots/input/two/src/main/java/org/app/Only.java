package org.app;

public class Only {
}
