if a:
    for b in c:
        while d:
            e()

            # comment
            if f:
                g(
                    1,
                )
        else:
            h()
        i()


def outer():
    with a:
        try:
            if b:
                c()
            elif d: e()
            else:
                # first
                f()
        except E:
            for g in h:
                i()
        finally:
            if j:
                def inner():
                    if k:
                        if l:
                            m()
                            if n:
                                o()
                class K:
                    p = 1
                q()


def flat(x):
    if a: b()
    elif c: d()
    elif e: f()
    else:
        if g: h()
