import both from './both.js';
import order from './order';
import a from './a.js';
