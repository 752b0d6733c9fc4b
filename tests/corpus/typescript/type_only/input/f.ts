export interface F {}
