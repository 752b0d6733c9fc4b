bit = 1
