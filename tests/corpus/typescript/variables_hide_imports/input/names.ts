export class Header { static get(key: string) { return key; } }
export function check() { return true; }
