#define MAYBE_CONSTEXPR

int chosen(int a)
{
    if MAYBE_CONSTEXPR (a > 1)
        return 1;
    return 0;
}

template <typename... T> bool any(T... values)
{
    return (values || ...);
}
