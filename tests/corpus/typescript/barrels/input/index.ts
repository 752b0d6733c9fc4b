export * from './user';
export { default as Repo, type Options } from './repo';
export * as errors from './errors';
export type * from './only-types';
