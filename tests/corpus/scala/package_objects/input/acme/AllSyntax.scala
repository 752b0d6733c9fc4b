package acme

trait AllSyntax {
  def twice(x: Int): Int = x + x
}
