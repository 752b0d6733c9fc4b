struct One { void unusual_name() {} void push_back(int) {} void shared_name() {} };
