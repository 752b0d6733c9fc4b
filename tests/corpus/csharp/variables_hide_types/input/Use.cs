using System.Collections.Generic;
namespace Shop;
class Use {
  bool Check() { return true; }
  void Parameter(System.Net.Headers Header) { Header.Get("a"); }
  void Local() { var Header = Other(); Header.Get("a"); }
  void Local2() { var Header = "x"; Header.Get("a"); }
  void Loop(List<Dictionary<string, string>> all) { foreach (var Header in all) { Header.Get("a"); } }
  void Lambda() { Run(Header => Header.Get("a")); }
  void Delegate(System.Func<bool> Check) { Check(); }
  void Out() { Dict.TryGet("x", out var Header); Header.Get("a"); }
  void Is(object x) { if (x is string Header) { Header.Get("a"); } }
  void Itself() { var Check = this.Check(); }
  void Right() { Header.Get("a"); Check(); }
  void Same(Header Header) { Header.Get("a"); }
  Header Header2 { get; set; }
}
