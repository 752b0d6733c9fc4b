package org.core;

public interface Service {
}
