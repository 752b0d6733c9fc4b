namespace Shop;
class Header { public static string Get(string key) { return key; } }
static class Helpers { }
