from paint import *
