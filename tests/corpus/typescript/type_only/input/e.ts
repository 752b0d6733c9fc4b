export type E = 1;
export function e() {}
