import acme.mail.send
from acme.mail import send, nothing
import acme
import acme.mail
