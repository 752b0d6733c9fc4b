package p.q

class B {
  fun (
