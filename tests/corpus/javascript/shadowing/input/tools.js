export function run() {}
export function stop() {}
export function go() {}
export class Tool {}
