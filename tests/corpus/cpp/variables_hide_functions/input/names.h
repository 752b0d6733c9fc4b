#pragma once
struct Header { static int get(int key); int size; };
int check();
