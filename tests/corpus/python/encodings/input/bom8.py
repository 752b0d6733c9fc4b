import good
