export class Missing extends Error {}
