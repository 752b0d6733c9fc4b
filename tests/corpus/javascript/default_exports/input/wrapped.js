function Inner() {}
export default memo(Inner);
