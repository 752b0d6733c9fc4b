from acme.billing import page
from ..mail.send import post
