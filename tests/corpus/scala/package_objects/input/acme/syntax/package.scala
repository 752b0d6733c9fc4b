package acme

package object syntax {
  object all extends AllSyntax
  def helper(x: Int): Int = x
}
