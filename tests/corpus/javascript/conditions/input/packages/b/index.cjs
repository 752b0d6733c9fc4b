const a = require('a');
const only = require('a/only');
