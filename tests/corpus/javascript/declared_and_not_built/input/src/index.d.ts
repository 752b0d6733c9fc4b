import { kind } from "../lib";
export function go(): kind;
