import math;
import std;
import <vector>;
import "legacy.h";
int main() { return 0; }
