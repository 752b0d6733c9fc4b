package shop

class Cart {
  def total: Int = 0
}
