import { Box, Item, make, Options } from './box';
const box = new Box<Item>();
const list: Array<Item> = [];
const options = { a: 1 } satisfies Options;
const cast = <Item>(list[0] as unknown);
const typed = make<Item>(cast!);
function only<T extends Item = Item>(value: T): value is T & Item {
  return value instanceof Box;
}
let query: typeof make;
let shape: { item: Item; act(): Item };
let mapped: { [K in keyof Options]?: Item };
let nothing: string | number;
