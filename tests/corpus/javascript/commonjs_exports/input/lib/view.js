module.exports = function View(name) {
  this.name = name;
};
