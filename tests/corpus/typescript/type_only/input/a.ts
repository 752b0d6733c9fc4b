export default interface A {}
