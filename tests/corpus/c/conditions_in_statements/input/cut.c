int chain(int a, int b)
{
  if(a)
    return 1;
#ifdef SECOND
  else if(b)
    return 2;
#endif
  else
    return 3;
}

int operands(int a, int b, int c)
{
  return a ||
#ifdef SECOND
    b ||
#endif
    c;
}

int directives(int a)
{
#if defined(FIRST) && (defined(SECOND) || \
    defined(THIRD))
  if(a)
    a++;
#endif
  return a;
}
