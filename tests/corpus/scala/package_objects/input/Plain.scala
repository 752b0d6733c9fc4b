import acme._
import acme.syntax._
import acme.syntax.Alias
import acme.gone.Thing

trait Plain extends AllSyntax
