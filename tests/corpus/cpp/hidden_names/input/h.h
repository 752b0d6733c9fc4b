struct Box { void fill() {} };
struct Bag { void fill() {} };
void fill();
extern Box shared;
