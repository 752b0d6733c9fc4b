"""What coding assistants and scripts ask a code base, as plain data; `server` alone knows the protocol."""
