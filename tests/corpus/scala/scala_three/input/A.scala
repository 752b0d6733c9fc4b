package p

import q.{Thing as T, *}
import q.deep.Other

enum Color:
  case Red, Green

class User(t: T):
  def go(): Unit =
    t.run()
    helper()
