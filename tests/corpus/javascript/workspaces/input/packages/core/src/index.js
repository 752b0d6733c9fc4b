export function core() {}
