import acme.syntax.all._
import acme.syntax.helper

object Main {
  def main(): Int = helper(twice(1))
}
