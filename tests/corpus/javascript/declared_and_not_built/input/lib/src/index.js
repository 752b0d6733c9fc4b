export const kind = 1;
