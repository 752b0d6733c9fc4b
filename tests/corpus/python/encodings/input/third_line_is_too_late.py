import good

# coding: latin-1
# é
