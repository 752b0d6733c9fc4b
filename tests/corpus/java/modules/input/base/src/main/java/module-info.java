module org.base {
    exports org.base;
}
