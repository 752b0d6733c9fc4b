function Emitter(name) {
  this.name = name;
  this.log = new Log();
}

Emitter.prototype.on = function on(event) {
  this.emit(event);
};

Emitter.prototype = {
  emit: function (event) {
    this.log.write(event);
  },
  off() {},
};

Emitter.create = function () {
  return new Emitter();
};

function Log() {}
Log.prototype.write = (text) => text;

Emitter.create();
module.exports = Emitter;
