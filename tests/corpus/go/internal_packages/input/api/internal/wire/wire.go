package wire

import "example.com/shop/internal/log"

func Send() { log.Say() }
