export function Injectable(options: object) {}
export const Input = () => {};
