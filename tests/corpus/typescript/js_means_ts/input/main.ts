import a from './a.js';
import b from './b.mjs';
import c from './c.cjs';
import d from './d.jsx';
import both from './both.js';
import plain from './plain.js';
import e from './e.js';
import order from './order';
