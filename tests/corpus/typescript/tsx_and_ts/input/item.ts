export class Item { name() { return <string>'x'; } }
const cast = <T>(x: T) => x;
