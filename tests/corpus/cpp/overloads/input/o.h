void log(int n);
void log(const char* text);
struct Printer { void out(int n) {} void out(double d) {} };
