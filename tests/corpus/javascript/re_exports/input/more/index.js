export * from './deep.js';
export * from '../index.js';
