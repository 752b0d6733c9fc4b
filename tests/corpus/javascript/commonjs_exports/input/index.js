module.exports = require('./lib/application');
