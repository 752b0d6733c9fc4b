export class Service { start() {} }
