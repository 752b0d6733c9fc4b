export default function plainly() {}
export function extra() {}
