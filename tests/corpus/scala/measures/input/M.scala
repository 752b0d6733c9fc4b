object M {
  // one
  def f(a: Int, b: Int): Int = {
    if (a > 0 && b > 0) {
      for (i <- 1 to a) {
        while (b > i) {
          println(i)
        }
      }
    } else if (a < 0 || b < 0) {
      1
    }
    a match {
      case 1 => 2
      case _ => 3
    }
  }
}
