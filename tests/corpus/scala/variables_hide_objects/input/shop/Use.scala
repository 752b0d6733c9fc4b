package shop
class Use {
  def parameter(Header: Map[String, String]) = { Header.get("a") }
  def local() = { val Header = Map("a" -> "b"); Header.get("a") }
  def local2() = { val Header = 5; Header.get("a") }
  def lambda() = { run(Header => Header.get("a")) }
  def loop(all: List[Map[String, String]]) = { for (Header <- all) { Header.get("a") } }
  def matched(x: Any) = x match { case Header: Foreign => Header.get("a") }
  def right() = { Header.get("a") }
}
