export interface Shape { area(): number }
export class Circle implements Shape {
  constructor(private r: number) {}
  area(): number { return helper(this.r) }
}
export class Disc extends Circle { }
export function helper(r: number): number { return Math.PI * r * r }
export const twice = (x: number) => helper(x) * 2;
