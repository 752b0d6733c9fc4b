cents = 100
