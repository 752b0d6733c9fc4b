namespace app {
class Node {
 public:
  Node* parent() const;
  const Node& child(int i) { return *this; }
  void visit() {}
};
Node* root();
}
