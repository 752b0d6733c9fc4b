typedef struct point { int x, y; } Point, *PointPtr;
typedef struct { Point a; Point b; } Line;
union value { int i; double d; };
enum state { ON, OFF };
typedef enum { LEFT, RIGHT } Side;
struct node { struct node *next; union value v; };
struct later;
