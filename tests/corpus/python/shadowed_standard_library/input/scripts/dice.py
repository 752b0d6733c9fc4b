import random
from random import randint
import email.message
