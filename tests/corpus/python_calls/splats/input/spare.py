def names(of):
    return {of}


def named(of):
    return {of: of}
