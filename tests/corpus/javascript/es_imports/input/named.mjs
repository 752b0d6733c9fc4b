export function one() {}
export const two = () => 2;
const hidden = function () {};
const other = function () {};
export { hidden as a, other as b };
