export type kind = number;
