export * from './a.js';
export { b as renamed } from './b.js';
export * as ns from './b.js';
export { default as Default } from './c.js';
export * from './more/index.js';
