export const a = () => {};
export default 1;
