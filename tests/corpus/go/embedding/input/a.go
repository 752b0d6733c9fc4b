package shop

import "example.com/shop/base"

type Logger interface {
	base.Writer
	Flush()
}

type Server struct {
	*base.Core
	log Logger
}

func Run(s *Server) {
	s.Start()
}
