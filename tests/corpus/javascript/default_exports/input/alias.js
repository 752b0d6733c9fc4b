import { start } from './start.js';
export { start as default };
