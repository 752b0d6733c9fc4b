def nothing(): pass


def loops(x):
    for i in x:
        continue
    else:
        pass
    while x and not i or x:
        assert i
    else:
        pass


def choices(x, y=1 if z else 2):
    if x:
        return 1
    elif y:
        return 2
    else:
        return 3 if x else 4 if y else 5


def comprehensions(x):
    a = [i for i in x]
    b = {i for i in x if i if not i}
    c = {i: j for i in x for j in i}
    return (lambda n: n or 1)(sum(i for i in x if i or j))


def errors():
    try:
        raise E
    except A:
        pass
    except (B, C) as e:
        pass
    except:
        pass
    else:
        pass
    finally:
        with f:
            pass


@decorate(1 if a else 2)
def decorated(): return not a


class C(B if a else D):
    x = 1 if a or b else 2

    def m(self):
        return self.x and self.x
