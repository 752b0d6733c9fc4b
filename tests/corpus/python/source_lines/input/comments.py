# one
    # two