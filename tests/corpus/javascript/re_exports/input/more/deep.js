import { deep as inner } from './deepest.js';
export { inner as deep };
