var Emitter = require('./emitter');
var e = new Emitter('x');
e.on('y');
e.off();
Emitter.create();
