package p

trait Store[T] {
  def put(x: T): Unit
  def twice(x: T): Unit = { put(x); put(x) }
}

class Disk extends Store[Int] with Closing {
  def put(x: Int): Unit = log()
}

trait Closing { def log(): Unit = () }

object Main {
  def main(args: Array[String]): Unit = {
    val d = new Disk
    d.twice(1)
    Main.help()
  }
  def help() = ()
}
