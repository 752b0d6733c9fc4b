// import a from './a.js';
/*
import b from './b.js';
const c = require('./c.js');
*/
const text = "import d from './d.js'";
const code = `
import e from './e.js';
${require('./f.js')}
`;
const pattern = /require('.\/a.js')/;
/** @type {import('./a.js').A} */
let typed;
log(/* './a.js' */); require('./g.js');
