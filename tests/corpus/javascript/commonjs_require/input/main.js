'use strict';
const a = require('./a');
const { b, c: other } = require("./b");
require('./side');
var last = require('./chain').last;
let lazy;
const name = './computed';
const dynamic = require(name);
const joined = require('./' + name);
const wrong = obj.require('./a');

function later() {
  if (!lazy) lazy = require('./lazy');
  return lazy.work();
}

try {
  require('optional-package');
} catch {
  later();
}

a.run();
b();
other();
last();
const all = { ...require('./side') };
