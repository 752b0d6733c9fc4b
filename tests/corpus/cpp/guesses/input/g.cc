template <class T> void use(T& t, T* u) {
  t.unusual_name();
  u->push_back(1);
  t.shared_name();
}
