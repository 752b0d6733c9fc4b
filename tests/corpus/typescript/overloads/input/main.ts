export function parse(text: string): string;
// with options
export function parse(text: string, strict: boolean): string;
export function parse(text: any, strict?: any): any {
  return text ? text : strict;
}
class Store {
  get(key: string): string;
  get(key: number): number;
  get(key: any): any {
    return parse(key);
  }
  get size(): number { return 1; }
  set size(value: number) {}
}
interface Finder {
  find(a: string): void;
  find(a: number): void;
  other(): void;
}
declare function external(a: string): void;
declare function external(a: number): void;
parse('a', true);

declare function has(holder: { get(key: string): string, size(): number }, key: string): boolean;
declare function has(holder: string, key: string): boolean;
declare function has(holder: { find(key: string): string }): boolean;
