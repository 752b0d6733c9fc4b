package shop

func Fill(s *Shelf, boxes []Box) {
	var b Box
	s.Put()
	b.count()
}
