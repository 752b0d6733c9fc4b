import type A from './a';
import { type B, type C as D } from './b';
import { type E, e } from './e';
export type { F } from './f';
export { type G } from './g';
let x: import('./x').X;
type Y = typeof import('./y');
const later = (z: string) => import('./later');
