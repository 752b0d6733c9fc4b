import good  # café
