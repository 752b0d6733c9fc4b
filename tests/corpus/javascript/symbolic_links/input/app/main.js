import './config.js';
import './config';
import './tools/one';
import './tools';
import './away.js';
