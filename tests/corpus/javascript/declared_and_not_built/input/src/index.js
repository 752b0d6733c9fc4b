export function go() {}
