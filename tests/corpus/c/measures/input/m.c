/* a comment
   of two lines */
#include <stdio.h>

int f(int a, char *b) // behind code
{
    int i;
    if (a > 1 && b) {
        for (i = 0; i < a; i++) {
            while (a) {
                puts(b);
                a--;
            }
        }
    } else if (a)
        return 1;
    switch (a) {
    case 1:
        return a ? 1 : 2;
    default:
        break;
    }
    // alone
    do { a++; } while (a < 3);
    return 0;
}
void nothing(void) {}
