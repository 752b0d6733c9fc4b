from . import receive
from .receive import inbox
from acme.mail.receive import inbox
from acme import billing
from acme.billing import *
