def f(x):
    match x:
        # the first
        case 1 | 2:
            return "few"
        case [a, b] if a and b:
            if a:
                for i in b:
                    print(i)
        case {"k": v}:
            pass
        case _ if x:
            pass
        case _:
            pass


match = 1
case = match
match(case)
print(match [case])
