struct Sink {
    virtual void open() {};
    void flush() override{};
    void close() {}
    int size(int other = 0);
    virtual void write() = 0;
};
