package acme

trait Shape

object Shape {
  def unit: Shape = null
}

object Origin
