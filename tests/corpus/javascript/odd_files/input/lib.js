export const broken = (;
export function fine() {}
