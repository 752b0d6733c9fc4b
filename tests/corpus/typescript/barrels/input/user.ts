export class User { constructor(public name: string) {} }
