export type B = number;
export type C = string;
