export interface Options {}
export declare function run(): void;
