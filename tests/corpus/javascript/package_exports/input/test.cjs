const tool = require('tool');
