export class X {}
