class Route {
  get() {}
}
module.exports = { Route, make: build };
function build() {
  return new Route();
}
