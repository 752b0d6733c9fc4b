package shop

func (s *Shelf) Put() { s.count() }

func (s Shelf) count() {}

func (Box) count() {}
