export function b() {}
