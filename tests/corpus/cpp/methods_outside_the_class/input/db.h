class DB {
 public:
  DB();
  virtual ~DB();
  int get(int key) const;
  virtual int put(int key) = 0;
  static DB* open();
  int size() const { return count_; }
 private:
  int count_;
};
