import { Circle, twice, Shape } from './model';
import * as fs from 'fs';
export function main(): number {
  const c: Shape = new Circle(2);
  fs.existsSync('x');
  return c.area() + twice(3);
}
