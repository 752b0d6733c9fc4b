/* one */ /* two */
int first; /* behind code */ /* twice */
/* before */ int second; /* and behind */
/* begins
   ends */ // and another
int third(void) { /* a */ /* b */
    /* c */ // d
    /* e */ ; /* f */
    return 0;
    /* one "*/ /* two" */
}
char *text = "/* "; /* */ char *more = " */";
