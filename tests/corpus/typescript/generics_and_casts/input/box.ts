export class Box<T> {}
export interface Item {}
export type Options = { a: number };
export function make<T>(value: T): Box<T> { return new Box<T>(); }
