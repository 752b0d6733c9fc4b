import acme.billing.book
from acme.mail import *
