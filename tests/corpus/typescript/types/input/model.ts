export enum Color { Red, Green = compute() }
export const enum Mode { On }
export interface Named { name: string }
export interface Animal extends Named, Zoo.Keeper<Food> {
  color: Color;
  eat(food: Food): void;
}
export type Food = 'hay' | Animal;
export abstract class Base<T extends Animal> implements Animal, Named {
  name = '';
  color = Color.Red;
  abstract eat(food: Food): void;
  protected sleep(): Base<T> | undefined { return undefined; }
}
export class Dog extends Base<Dog> {
  override eat(): void { this.sleep(); }
}
function compute(): number { return 1; }
