import beta
