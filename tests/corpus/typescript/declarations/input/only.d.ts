export declare const only: number;
