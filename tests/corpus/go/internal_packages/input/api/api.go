package api

import "example.com/shop/api/internal/wire"

func Serve() { wire.Send() }
