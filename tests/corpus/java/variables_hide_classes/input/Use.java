package shop;
import java.util.Map;
class Use {
  void parameter(Map<String, String> Header) { Header.get("a"); }
  void local() { Map<String, String> Header = make(); Header.get("a"); }
  void lambda() { run(Header -> Header.get("a")); }
  void loop(java.util.List<Map<String, String>> all) { for (Map<String, String> Header : all) Header.get("a"); }
  void inferred() { var Header = Outside.make(); Header.get("a"); }
  void right() { Header.get("a"); }
  Map<String, String> make() { return null; }
  void run(java.util.function.Function<Map<String,String>, String> f) {}
  Object pass(Object Header) { return hand(Header); }
  Object hand(Object x) { return x; }
}
