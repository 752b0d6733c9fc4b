export interface G {}
