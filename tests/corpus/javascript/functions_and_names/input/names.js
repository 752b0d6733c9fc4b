export const add = (a, b) => a + b, twice = (x) => add(x, x);
var old = function named() {};
let gen = function* () {};
items.forEach(function each(item) {
  if (item) old();
});
const table = {
  open() {
    return this.close();
  },
  close: () => 0,
  size: 3,
};
const plain = { size: 3 };
function outer() {
  const inner = () => add(1, 2);
  function nested() {
    return inner();
  }
  return { method() { return nested(); } };
}
table.open();
window.loaded = function () {
  method();
};
