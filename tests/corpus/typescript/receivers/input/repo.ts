export class Repo {
  save() {}
  first(): Row { return new Row(); }
}
export class Row { name() {} }
export class Logger { write() {} }
export function create(): Repo | undefined { return new Repo(); }
