"""Files, mail and time: what the shop stands on."""
